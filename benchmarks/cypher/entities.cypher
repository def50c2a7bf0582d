// -- benchmarks/mentions
// Mentions of entities, by document.
// Parameters: none
// Rows: document STRING (its key in the source); entity, type STRING; surfaces LIST<STRING>
MATCH (d:Document:{{corpus}})<-[:PART_OF]-(:Overstory:Chunk)-[m:MENTIONS]->(e:Overstory:Entity)
RETURN d.source_key AS document, e.id AS entity, coalesce(e.type, '') AS type, m.surfaces AS surfaces
