// The names of a corpus with the passages that mention them.
// Parameters: none
// Rows: id, name STRING; chunks LIST<STRING> (ids)
MATCH (e:{{corpus}}_Entity) WHERE e.df > 0
RETURN e.id AS id, e.name AS name, COLLECT { MATCH (e)<-[:MENTIONS]-(c:{{corpus}}_Chunk) RETURN DISTINCT c.id AS id ORDER BY id } AS chunks
