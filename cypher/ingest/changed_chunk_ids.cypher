// Chunks that the mentions stage has to look at.
// Parameters: $limit INTEGER
// Rows: id STRING
MATCH (c:{{corpus}}_Changed:{{corpus}}_Chunk)
WITH c LIMIT $limit
RETURN c.id AS id
