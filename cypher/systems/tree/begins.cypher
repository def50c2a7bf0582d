// The communities of a tree whose ids begin so.
// Parameters: $begins STRING; $tree STRING; $generation INTEGER; $limit INTEGER
// Rows: id STRING; size INTEGER; in order of id
MATCH (t:Overstory)
USING INDEX SEEK t:Overstory(id)
WHERE t.id STARTS WITH $begins AND t:TreeNode AND t.corpus = $corpus
  AND t.tree = $tree AND t.generation = $generation AND t.vector IS NOT NULL
RETURN t.id AS id, t.size AS size ORDER BY id LIMIT $limit
