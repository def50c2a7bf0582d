// Deletes entities that nothing mentions any more, with the nodes that stand on them, and marks the communities of trees
// that lose a leaf; a leaf of such a node stays, with what the node was tied to. What such nodes share goes with the last of
// them, as does what that alone shared.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  MATCH (e)<-[:COVERS]-(:Overstory:OfEntity)-[:CHILD_OF]->(community:Overstory:TreeNode)
  SET community:$($corpus + '_Parted')
}
CALL (e) {
  MATCH (leaf:Overstory:TreeNode)-[:COVERS]->(n:Overstory:OfEntity)-->(e)
  WITH DISTINCT leaf, n
  SET leaf:$($corpus + '_Uncovered'), leaf.unit = n.id, leaf.layer = n.layer,
    leaf.ends = COLLECT {
      MATCH (n)-[r]-(other:Overstory) WHERE r.weight IS NOT NULL AND other.derived IS NOT NULL
      RETURN other.id ORDER BY other.id, type(r), r.weight
    },
    leaf.ties = COLLECT {
      MATCH (n)-[r]-(other:Overstory) WHERE r.weight IS NOT NULL AND other.derived IS NOT NULL
      RETURN CASE n WHEN startNode(r) THEN '>' ELSE '<' END + type(r) ORDER BY other.id, type(r), r.weight
    },
    leaf.weights = COLLECT {
      MATCH (n)-[r]-(other:Overstory) WHERE r.weight IS NOT NULL AND other.derived IS NOT NULL
      RETURN r.weight ORDER BY other.id, type(r), r.weight
    }
}
CALL (e) {
  MATCH (n:Overstory:OfEntity)-->(e)
  OPTIONAL MATCH (n)-->(shared:Overstory:Shared)
  WITH collect(DISTINCT n) AS nodes, collect(DISTINCT shared) AS shared
  FOREACH (n IN nodes | DETACH DELETE n)
  WITH shared
  UNWIND shared AS s
  WITH s WHERE NOT EXISTS { (s)<--(:Overstory) }
  OPTIONAL MATCH (s)-->(below:Overstory:Shared)
  WITH collect(DISTINCT s) AS unused, collect(DISTINCT below) AS below
  FOREACH (s IN unused | DETACH DELETE s)
  WITH below
  UNWIND below AS b
  WITH b WHERE NOT EXISTS { (b)<--(:Overstory) }
  DETACH DELETE b
}
DETACH DELETE e
