// The names of a corpus that passages mention.
// Parameters: none
// Rows: id, text STRING; in order of id
MATCH (e:{{corpus}}_Entity) WHERE e.df > 0
RETURN e.id AS id, e.name AS text ORDER BY id
