// The chunks that are about some names as other names of what they are about by themselves.
// Parameters: $ids LIST<STRING> (entities); $chunks LIST<STRING> (ids of chunks left out); $own LIST<STRING> (sources of what
//   a chunk is about by itself)
// Rows: as ingest/stored_about_of has them
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[a:ABOUT]->(c:Overstory:Chunk)
WHERE e:Entity AND e.corpus = $corpus AND NOT a.source IN $own AND NOT c.id IN $chunks
RETURN c.id AS chunk, e.key AS key, a.weight AS weight, coalesce(a.source, '') AS source,
  coalesce(a.full, false) AS full, coalesce(a.surface, '') AS surface, coalesce(a.type, '') AS type,
  coalesce(a.common, false) AS common
