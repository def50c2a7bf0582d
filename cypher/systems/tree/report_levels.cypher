// How many communities each level of a tree has, and how many of them have a report.
// Parameters: $tree STRING; $generation INTEGER
// Rows: level, communities, reports INTEGER; from the root down, without the leaves; none where there is no such tree
MATCH (t:{{corpus}}_TreeNode) WHERE t.tree = $tree AND t.generation = $generation AND t.vector IS NOT NULL
RETURN t.level AS level, count(t) AS communities,
  count(CASE WHEN EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_CommunityReport) } THEN 1 END) AS reports
ORDER BY level
