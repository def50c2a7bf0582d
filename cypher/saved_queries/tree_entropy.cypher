// Tree: its entropy
// Parameters: none
// Rows: entropy FLOAT (bits: the sum of cut / whole · log2(volume of the parent / volume) over all nodes that something
//   leaves); of_communities, of_passages FLOAT (their shares in it); communities, passages INTEGER; one, or none
//   where there is no tree
// Needs overstory index --system serag
MATCH (corpus:Corpus:{{corpus}})
MATCH (root:{{corpus}}_TreeNode)
WHERE root.generation = corpus.generation_serag AND root.tree = 'serag' AND root.level = 0
MATCH (t:{{corpus}}_TreeNode)
WHERE t.generation = corpus.generation_serag AND t.tree = 'serag' AND t.level > 0
MATCH (t)-[:CHILD_OF]->(parent)
WITH t.vector IS NULL AS is_passage,
  CASE WHEN t.cut > 0 THEN t.cut / root.volume * log(parent.volume / t.volume) / log(2) ELSE 0.0 END AS term
WITH count(CASE WHEN is_passage THEN 1 END) AS passages, count(CASE WHEN NOT is_passage THEN 1 END) AS communities,
  sum(CASE WHEN is_passage THEN term ELSE 0.0 END) AS of_passages,
  sum(CASE WHEN is_passage THEN 0.0 ELSE term END) AS of_communities
WHERE passages > 0
RETURN of_communities + of_passages AS entropy, of_communities, of_passages, communities, passages LIMIT 1
