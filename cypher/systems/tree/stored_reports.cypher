// The reports of a tree's communities.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id STRING; communities LIST<STRING> (ids); properties MAP; chunks LIST<STRING> (that it stands on)
MATCH (t:{{corpus}}_TreeNode)-[:HAS_REPORT]->(r:{{corpus}}_CommunityReport)
WHERE t.tree = $tree AND t.generation = $generation
WITH r, collect(t.id) AS communities
RETURN r.id AS id, communities, properties(r) AS properties,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:{{corpus}}_Chunk) RETURN c.id ORDER BY s.position } AS chunks
