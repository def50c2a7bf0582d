// The stored edges of the chunk graph.
// Parameters: none
// Rows: one, other STRING (ids of chunks); weight, semantic_weight FLOAT or null
MATCH (a:{{corpus}}_Chunk)-[l:LINKED]->(b:{{corpus}}_Chunk)
RETURN a.id AS one, b.id AS other, l.weight AS weight, l.semantic_weight AS semantic_weight
