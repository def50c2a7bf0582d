// How many communities each level of a tree has, and how many of them have a report.
// Parameters: $tree STRING; $generation INTEGER
// Rows: level, communities, reports INTEGER; from the root down, without the leaves; none where there is no such tree
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WHERE t.vector IS NOT NULL
RETURN t.level AS level, count(t) AS communities,
  count(CASE WHEN EXISTS { (t)-[:HAS_REPORT]->(:Overstory:CommunityReport) } THEN 1 END) AS reports
ORDER BY level
