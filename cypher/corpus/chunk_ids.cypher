// The ids of all chunks of a corpus.
// Parameters: none
// Rows: id STRING
MATCH (c:{{corpus}}_Chunk)
RETURN c.id AS id
