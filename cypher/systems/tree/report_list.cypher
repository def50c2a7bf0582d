// The reports on a level of a tree: those of the highest rating, of equal ones those on the largest communities.
// Parameters: $tree STRING; $generation, $level INTEGER; $limit INTEGER
// Rows: id STRING (of the community); level, size INTEGER; title, summary, by STRING; rating FLOAT
MATCH (t:{{corpus}}_TreeNode)-[:HAS_REPORT]->(r:{{corpus}}_CommunityReport)
WHERE t.tree = $tree AND t.generation = $generation AND t.level = $level
RETURN t.id AS id, t.level AS level, t.size AS size, r.title AS title, r.summary AS summary, r.by AS by,
  r.rating AS rating
ORDER BY rating DESC, size DESC, id LIMIT $limit
