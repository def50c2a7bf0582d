// Chunks that the mentions stage has to look at.
// Parameters: $limit INTEGER
// Rows: ids LIST<STRING>; one
MATCH (c:{{corpus}}_Changed:{{corpus}}_Chunk)
WITH c LIMIT $limit
RETURN collect(c.id) AS ids
