// Entities of which the mentions stage changed something.
// Parameters: $limit INTEGER
// Rows: id STRING
MATCH (e:{{corpus}}_Changed:Entity)
WITH e LIMIT $limit
RETURN e.id AS id
