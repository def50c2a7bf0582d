// The summaries of some sets.
// Parameters: $ids LIST<STRING>
// Rows: as those of `systems/tree/stored_reports`
UNWIND $ids AS id
MATCH (t:Overstory {id: id})-[:HAS_REPORT]->(r:{{corpus}}_TretrieverSummary)
WITH r, collect(t.id) AS communities
RETURN r.id AS id, communities, properties(r) AS properties,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:{{corpus}}_Chunk) RETURN c.id ORDER BY s.position } AS chunks
