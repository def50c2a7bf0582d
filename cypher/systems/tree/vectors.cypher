// The communities of a tree with their vectors; neither root nor leaves.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id STRING; level INTEGER; vector BYTES
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WHERE t.level > 0 AND t.vector IS NOT NULL
RETURN t.id AS id, t.level AS level, t.vector AS vector ORDER BY level, id
