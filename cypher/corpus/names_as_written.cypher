// How some documents write some names.
// Parameters: $documents LIST<STRING> (ids); $ids LIST<STRING> (of entities); $kinds LIST<STRING> (whose mentions count)
// Rows: id STRING (of an entity); type STRING; surfaces LIST<LIST> (how it is written, how often,
//   and whether parsers saw it, or the dictionary)
UNWIND $documents AS document
MATCH (:Overstory {id: document})<-[:PART_OF]-(:{{corpus}}_Chunk)-[m:MENTIONS]->(e:Entity:{{corpus}})
WHERE e.id IN $ids AND (m.by IN $kinds OR m.by = 'dictionary')
UNWIND m.surfaces AS surface
WITH e, surface, m.by <> 'dictionary' AS parsed, count(*) AS times
RETURN e.id AS id, coalesce(e.type, '') AS type, collect([surface, times, parsed]) AS surfaces
