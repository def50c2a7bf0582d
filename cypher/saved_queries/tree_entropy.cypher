// Tree: its entropy
// Parameters: $tree STRING (its name)
// Rows: entropy FLOAT (bits: the sum of cut / whole · log2(volume of the parent / volume) over all nodes that something
//   leaves); of_communities, of_leaves FLOAT (their shares in it); communities, leaves INTEGER; one, or none where there
//   is no tree
// Needs the index of a system that has trees
MATCH (corpus:Corpus:{{corpus}})
MATCH (root:{{corpus}}_TreeNode)
WHERE root.tree = $tree AND root.generation = corpus['generation_' + root.derived] AND root.level = 0
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = root.tree AND t.generation = root.generation AND t.level > 0
MATCH (t)-[:CHILD_OF]->(parent:{{corpus}}_TreeNode)
WITH t.vector IS NULL AS is_leaf,
  CASE WHEN t.cut > 0 THEN t.cut / root.volume * log(parent.volume / t.volume) / log(2) ELSE 0.0 END AS term
WITH count(CASE WHEN is_leaf THEN 1 END) AS leaves, count(CASE WHEN NOT is_leaf THEN 1 END) AS communities,
  sum(CASE WHEN is_leaf THEN term ELSE 0.0 END) AS of_leaves,
  sum(CASE WHEN is_leaf THEN 0.0 ELSE term END) AS of_communities
WHERE leaves > 0
RETURN of_communities + of_leaves AS entropy, of_communities, of_leaves, communities, leaves LIMIT 1
