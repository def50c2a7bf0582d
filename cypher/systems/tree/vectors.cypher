// The communities of a tree with their vectors; neither root nor leaves.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id STRING; level INTEGER; vector BYTES
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = $tree AND t.generation = $generation AND t.level > 0 AND t.vector IS NOT NULL
RETURN t.id AS id, t.level AS level, t.vector AS vector ORDER BY level, id
