// How some documents write some names: in their texts, and as titles, headings and definitions.
// Parameters: $documents LIST<STRING> (ids); $ids LIST<STRING> (of entities); $kinds LIST<STRING> (whose mentions count)
// Rows: id STRING (of an entity); surfaces LIST<LIST> (how it is written, how often, and whether parsers saw it)
UNWIND $documents AS document
MATCH (:Overstory {id: document, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity)
  WITH m, e WHERE e.id IN $ids AND (m.by IN $kinds OR m.by = 'dictionary')
  UNWIND m.surfaces AS surface
  RETURN e.id AS id, surface, m.by <> 'dictionary' AS parsed
  UNION ALL
  MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity)
  WITH a, e WHERE e.id IN $ids AND a.surface IS NOT NULL
  RETURN e.id AS id, a.surface AS surface, false AS parsed
}
WITH id, surface, parsed, count(*) AS times
RETURN id, collect([surface, times, parsed]) AS surfaces
