// Marks every chunk that SeRAG's tree covers; commits as it goes.
// Parameters: $generation INTEGER
// Rows: none
MATCH (t:{{corpus}}_TreeNode)-[:COVERS]->(c) WHERE t.generation = $generation AND NOT c:{{corpus}}_SeragRead
CALL (c) { SET c:{{corpus}}_SeragRead } IN TRANSACTIONS OF 10000 ROWS
