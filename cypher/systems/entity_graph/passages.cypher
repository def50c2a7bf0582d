// The ids of all chunks.
// Parameters: none
// Rows: id STRING; in no particular order
MATCH (c:{{corpus}}_Chunk)
RETURN c.id AS id
