// What chunks are about.
// Parameters: none
// Rows: key, name, type (of the entity), document, source STRING; chunk INTEGER (place in the document); weight FLOAT
MATCH (e:Entity:{{corpus}})-[a:ABOUT]->(c:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
RETURN e.key AS key, e.name AS name, e.type AS type, d.source + ' ' + d.source_key AS document,
  c.seq AS chunk, a.weight AS weight,
  a.source AS source
