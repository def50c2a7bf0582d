// The next chunks whose names have to be edited again.
// Parameters: $limit INTEGER
// Rows: id STRING
MATCH (c:{{corpus}}_Renamed:{{corpus}}_Chunk)
RETURN c.id AS id LIMIT $limit
