// The reports of a tree's communities.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id STRING; communities LIST<STRING> (ids); properties MAP; chunks LIST<STRING> (that it stands on)
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})-[:HAS_REPORT]->(r:Overstory:CommunityReport)
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WITH r, collect(t.id) AS communities
RETURN r.id AS id, communities, properties(r) AS properties,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks
