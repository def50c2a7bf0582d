// Changes how many documents of a folder have a block. Blocks that several have are tied to the folder, the others are
// counters alone.
// Parameters: $rows LIST<MAP {id, folder (id), words STRING ("" where documents go); hash, change INTEGER}>;
//   $least INTEGER (documents from which on a block is tied)
// Rows: none
UNWIND $rows AS row
MERGE (b:Overstory {id: row.id})
ON CREATE SET b:Block:$($corpus), b.corpus = $corpus, b.hash = row.hash, b.documents = 0
SET b.documents = b.documents + row.change
WITH b, row
CALL (b, row) {
  WITH b, row WHERE b.documents >= $least AND row.words <> ''
  MATCH (f:Overstory {id: row.folder})
  MERGE (b)-[:REPEATED_IN]->(f)
  SET b.words = row.words, b.boilerplate = coalesce(b.boilerplate, false)
}
CALL (b) {
  WITH b WHERE b.documents <= 0 AND NOT EXISTS { (b)-[:REPEATED_IN]->() }
  DELETE b
}
