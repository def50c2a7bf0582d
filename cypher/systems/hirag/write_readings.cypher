// Writes what a language model read in chunks, in the place of what it read before. It goes with any chunk that it was
// read with, for its words may come from there; the other chunks of the document are then read again.
// Parameters: $label STRING; $by STRING (the reader's fingerprint); $rows LIST<MAP {id, chunk, found STRING (JSON);
//   touched INTEGER; rules BOOLEAN (rules are to read the chunk, too); read_with LIST<STRING> (ids of chunks)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:{{corpus}}_Chunk
MERGE (r:Overstory {id: row.id})
SET r:HiragReading:{{corpus}}:{{corpus}}_HiragReading:{{corpus}}_OfChunk,
  r.corpus = $label, r.by = $by, r.found = row.found, r.touched = row.touched, r.rules = row.rules
MERGE (r)-[:READ_IN]->(c)
WITH r, row
CALL (r) {
  MATCH (r)-[before:READ_WITH]->(:{{corpus}}_Chunk)
  DELETE before
}
UNWIND row.read_with AS id
MATCH (other:Overstory {id: id}) WHERE other:{{corpus}}_Chunk
MERGE (r)-[:READ_WITH]->(other)
