// The summaries of some sets.
// Parameters: $ids LIST<STRING>
// Rows: as those of `systems/tree/stored_reports`
UNWIND $ids AS id
MATCH (t:Overstory {id: id, corpus: $corpus})-[:HAS_REPORT]->(r:Overstory:TretrieverSummary)
WITH r, collect(t.id) AS communities
RETURN r.id AS id, communities, properties(r) AS properties,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks
