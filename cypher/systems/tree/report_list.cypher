// The reports on a level of a tree: those of the highest rating, of equal ones those on the largest communities.
// Parameters: $tree STRING; $generation, $level INTEGER; $limit INTEGER
// Rows: id STRING (of the community); level, size INTEGER; title, summary, by STRING; rating FLOAT
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})-[:HAS_REPORT]->(r:Overstory:CommunityReport)
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WHERE t.level = $level
RETURN t.id AS id, t.level AS level, t.size AS size, r.title AS title, r.summary AS summary, r.by AS by,
  r.rating AS rating
ORDER BY rating DESC, size DESC, id LIMIT $limit
