// Remembered questions in order of id.
// Parameters: $after STRING; $limit INTEGER
// Rows: id, text STRING
MATCH (q:{{corpus}}_AprQuestion) WHERE q.id > $after
RETURN q.id AS id, q.text AS text ORDER BY id LIMIT $limit
