// The levels of a tree: how many communities each has, and what they bring to its entropy.
// Parameters: $tree STRING; $generation INTEGER
// Rows: root STRING (its id); whole FLOAT (the root's volume); size INTEGER (the root's leaves); alone INTEGER (those
//   right below the root); level, communities INTEGER; entropy FLOAT (bits, of all nodes of the level); from the root
//   down; none where there is no such tree
MATCH (root:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK root:TreeNode(corpus, tree, generation)
WHERE root.level = 0
CALL (root) {
  MATCH (root)<-[:CHILD_OF]-(leaf:Overstory:TreeNode) WHERE leaf.vector IS NULL
  RETURN count(leaf) AS alone
}
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
OPTIONAL MATCH (t)-[:CHILD_OF]->(above:Overstory:TreeNode) WHERE t.cut > 0
RETURN root.id AS root, root.volume AS whole, root.size AS size, alone, t.level AS level, count(t.vector) AS communities,
  sum(t.cut / root.volume * log(above.volume / t.volume)) / log(2) AS entropy
ORDER BY level
