// The texts on the names of some entities.
// Parameters: $ids LIST<STRING>
// Rows: texts LIST<LIST> (the id of an entity, the text, the ids of its passages, those of their documents), in their order; one
UNWIND range(0, size($ids) - 1) AS at
MATCH (:Overstory {id: $ids[at]})<-[:STANDS_FOR]-(:{{corpus}}_PagerankName)-[:HAS_TEXT]->(t)-[:STANDS_ON]->(c)-[:PART_OF]->(d:{{corpus}}_Document)
WITH at, t, c, d ORDER BY at, c.id
WITH at, t, collect(c.id) AS chunks, collect(DISTINCT d.id) AS documents ORDER BY at
RETURN collect([$ids[at], t.text, chunks, documents]) AS texts
