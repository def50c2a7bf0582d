// Writes what a language model read in chunks, in the place of what it read before.
// Parameters: $label STRING; $by STRING (the reader's fingerprint); $rows LIST<MAP {id, chunk, found STRING (JSON);
//   touched INTEGER; rules BOOLEAN (rules are to read the chunk, too)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:{{corpus}}_Chunk
MERGE (r:Overstory {id: row.id})
SET r:HiragReading:{{corpus}}:{{corpus}}_HiragReading:{{corpus}}_OfChunk,
  r.corpus = $label, r.by = $by, r.found = row.found, r.touched = row.touched, r.rules = row.rules
MERGE (r)-[:READ_IN]->(c)
