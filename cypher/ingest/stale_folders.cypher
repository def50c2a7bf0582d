// The next folders in which the number of documents changed, or of those that have a block.
// Parameters: $keep BOOLEAN (nothing counts as boilerplate); $least INTEGER, $share FLOAT (a block is boilerplate in at
//   least so many documents, and in more than this part of them); $limit INTEGER
// Rows: id STRING; changed LIST<INTEGER> (hashes of blocks that are boilerplate now and were not, or the reverse)
MATCH (f:{{corpus}}_BoilerplateStale:Folder)
WITH f LIMIT $limit
RETURN f.id AS id, COLLECT {
  MATCH (f)<-[:REPEATED_IN]-(b:Block:{{corpus}})
  WHERE (NOT $keep AND b.documents >= $least AND b.documents > $share * f.documents) <> b.boilerplate
  RETURN b.hash
} AS changed
