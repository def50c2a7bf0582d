// What chunks are about.
// Parameters: none
// Rows: key, name, type (of the entity), document, source STRING; chunk INTEGER (place in the document); weight FLOAT
MATCH (e:Overstory:Entity)-[a:ABOUT]->(c:Overstory {corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN e.key AS key, e.name AS name, e.type AS type, d.source + ' ' + d.source_key AS document,
  c.seq AS chunk, a.weight AS weight,
  a.source AS source
