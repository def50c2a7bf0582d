// Entities to be named.
// Parameters: $limit INTEGER
// Rows: ids LIST<STRING>; one
MATCH (e:{{corpus}}_Stale:Entity:{{corpus}})
WITH e LIMIT $limit
RETURN collect(e.id) AS ids
