// The reports of some communities, and which other communities they are on.
// Parameters: $ids LIST<STRING>
// Rows: as those of `systems/tree/stored_reports`
UNWIND $ids AS id
MATCH (t:Overstory {id: id})-[:HAS_REPORT]->(r:Overstory:HiragReport) WHERE t:HiragCommunity AND t.corpus = $corpus
WITH DISTINCT r
RETURN r.id AS id, COLLECT { MATCH (r)<-[:HAS_REPORT]-(t:Overstory:HiragCommunity) RETURN t.id } AS communities,
  properties(r) AS properties,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks
