// The names of a corpus.
// Parameters: none
// Rows: id, text STRING; in order of id
MATCH (e:{{corpus}}_Entity)
RETURN e.id AS id, e.name AS text ORDER BY id
