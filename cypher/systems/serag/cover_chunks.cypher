// Ties leaves of a tree to the chunks that they stand for.
// Parameters: $rows LIST<MAP {id, chunk STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}), (c:Overstory {id: row.chunk})
SET t:{{corpus}}_OfChunk
MERGE (t)-[:COVERS]->(c)
