// Remembered answers in order of id.
// Parameters: $after STRING; $limit INTEGER
// Rows: id STRING
MATCH (a:{{corpus}}_AprAnswer) WHERE a.id > $after
RETURN a.id AS id ORDER BY id LIMIT $limit
