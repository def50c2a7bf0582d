// Entities of which the mentions stage changed something.
// Parameters: $limit INTEGER
// Rows: ids LIST<STRING>; one
MATCH (e:{{corpus}}_Changed:Entity)
WITH e LIMIT $limit
RETURN collect(e.id) AS ids
