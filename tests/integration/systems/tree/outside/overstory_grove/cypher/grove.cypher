// -- systems/grove/document
// The documents of a corpus.
// Parameters: none
// Rows: id, text STRING; in order of id
MATCH (d:{{corpus}}_Document)
RETURN d.id AS id, d.title AS text ORDER BY id

// -- systems/grove/document_edges
// Which documents mention the same names.
// Parameters: none
// Rows: one, other STRING (ids); weight FLOAT
MATCH (d:{{corpus}}_Document)<-[:PART_OF]-()-[:MENTIONS]->(e:Entity)<-[:MENTIONS]-()-[:PART_OF]->(o:{{corpus}}_Document)
WHERE d.id < o.id
RETURN d.id AS one, o.id AS other, toFloat(count(DISTINCT e)) AS weight ORDER BY one, other

// -- systems/grove/entity
// The names of a corpus that passages mention.
// Parameters: none
// Rows: id, text STRING; in order of id
MATCH (e:{{corpus}}_Entity) WHERE e.df > 0
RETURN e.id AS id, e.name AS text ORDER BY id

// -- systems/grove/entity_edges
// Which names facts relate.
// Parameters: none
// Rows: one, other STRING (ids); weight FLOAT
MATCH (e:{{corpus}}_Entity)-[r:RELATED]->(o:{{corpus}}_Entity) WHERE e.df > 0 AND o.df > 0
RETURN e.id AS one, o.id AS other, toFloat(sum(r.weight)) AS weight ORDER BY one, other

// -- systems/grove/passages
// The names of a corpus with the passages that mention them.
// Parameters: none
// Rows: id, name STRING; chunks LIST<STRING> (ids)
MATCH (e:{{corpus}}_Entity) WHERE e.df > 0
RETURN e.id AS id, e.name AS name, COLLECT { MATCH (e)<-[:MENTIONS]-(c:{{corpus}}_Chunk) RETURN DISTINCT c.id AS id ORDER BY id } AS chunks
