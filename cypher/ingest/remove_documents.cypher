// Deletes documents whose chunks are gone, with the nodes that stand on them, and marks the communities of trees that lose
// a leaf. What such nodes share goes with the last of them, as does what that alone shared.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  MATCH (d)<-[:COVERS]-(:Overstory:OfDocument)-[:CHILD_OF]->(community:Overstory:TreeNode)
  SET community:$($corpus + '_Parted')
}
CALL (d) {
  MATCH (n:Overstory:OfDocument)-->(d)
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
DETACH DELETE d
