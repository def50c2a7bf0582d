// Entities to be named.
// Parameters: $limit INTEGER
// Rows: id STRING
MATCH (e:{{corpus}}_Stale:Entity:{{corpus}})
WITH e LIMIT $limit
RETURN e.id AS id
