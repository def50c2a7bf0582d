// Facts to be worded.
// Parameters: $limit INTEGER
// Rows: ids LIST<STRING>; one
MATCH (f:{{corpus}}_Stale:Fact)
WITH f LIMIT $limit
RETURN collect(f.id) AS ids
