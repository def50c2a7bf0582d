// -- benchmarks/tree_nodes
// Nodes of a tree.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id, parent STRING (null for the root); level INTEGER; unit STRING (unit id of a leaf, null for a community)
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
OPTIONAL MATCH (t)-[:CHILD_OF]->(above:Overstory:TreeNode)
OPTIONAL MATCH (t)-[:COVERS]->(unit:Overstory)
RETURN t.id AS id, above.id AS parent, t.level AS level, unit.id AS unit
