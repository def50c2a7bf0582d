// The documents of a corpus.
// Parameters: none
// Rows: id, text STRING; in order of id
MATCH (d:{{corpus}}_Document)
RETURN d.id AS id, d.title AS text ORDER BY id
