// Remembered answers by the beginnings of their ids.
// Parameters: $beginnings LIST<STRING>; $limit INTEGER
// Rows: id STRING; in order
MATCH (a:{{corpus}}_AprAnswer) WHERE any(beginning IN $beginnings WHERE a.id STARTS WITH beginning)
RETURN a.id AS id ORDER BY id LIMIT $limit
