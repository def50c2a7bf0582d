// What some chunks are about.
// Parameters: $ids LIST<STRING>
// Rows: chunk, key (of the entity), source, surface, type ("" where none is stored) STRING; weight FLOAT; full,
//   common BOOLEAN
UNWIND $ids AS id
MATCH (c:Overstory {id: id})<-[a:ABOUT]-(e:Overstory:Entity)
RETURN c.id AS chunk, e.key AS key, a.weight AS weight, coalesce(a.source, '') AS source,
  coalesce(a.full, false) AS full, coalesce(a.surface, '') AS surface, coalesce(a.type, '') AS type,
  coalesce(a.common, false) AS common
