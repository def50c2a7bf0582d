// Writes what a language model read in chunks, in the place of what it read before. It goes with any chunk that it was
// read with, for its words may come from there; the other chunks of the document are then read again.
// Parameters: $by STRING (the reader's fingerprint); $rows LIST<MAP {id, chunk, found STRING (JSON);
//   touched INTEGER; rules BOOLEAN (rules are to read the chunk, too); read_with LIST<STRING> (ids of chunks)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
MERGE (r:Overstory {id: row.id})
SET r:HiragReading:$($corpus):$($corpus + '_HiragReading'):OfChunk,
  r.corpus = $corpus, r.by = $by, r.found = row.found, r.touched = row.touched, r.rules = row.rules
MERGE (r)-[:READ_IN]->(c)
WITH r, row
CALL (r) {
  MATCH (r)-[before:READ_WITH]->(:Overstory:Chunk)
  DELETE before
}
UNWIND row.read_with AS id
MATCH (other:Overstory {id: id}) WHERE other:Chunk AND other.corpus = $corpus
MERGE (r)-[:READ_WITH]->(other)
