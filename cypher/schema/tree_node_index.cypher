// The nodes of trees, by corpus, tree and generation.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_tree_nodes IF NOT EXISTS FOR (t:TreeNode) ON (t.corpus, t.tree, t.generation)
