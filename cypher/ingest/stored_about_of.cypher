// What some chunks are about.
// Parameters: $ids LIST<STRING>
// Rows: as ingest/stored_about has them
UNWIND $ids AS id
MATCH (c:Overstory {id: id})<-[a:ABOUT]-(e:Entity:{{corpus}})
RETURN c.id AS chunk, e.key AS key, a.weight AS weight, coalesce(a.source, '') AS source,
  coalesce(a.full, false) AS full, coalesce(a.surface, '') AS surface, coalesce(a.type, '') AS type,
  coalesce(a.common, false) AS common
