// The largest communities of a level of a tree that have no report.
// Parameters: $tree STRING; $generation, $level INTEGER; $limit INTEGER
// Rows: id STRING; level, size INTEGER
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WHERE t.level = $level AND t.vector IS NOT NULL
  AND NOT EXISTS { (t)-[:HAS_REPORT]->(:Overstory:CommunityReport) }
RETURN t.id AS id, t.level AS level, t.size AS size
ORDER BY size DESC, id LIMIT $limit
