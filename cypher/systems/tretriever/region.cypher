// The root of a generation's tree, and some of the largest sets with all that is below them.
// Parameters: $tops LIST<STRING> (ids); $generation INTEGER
// Rows: as those of `systems/tree/nodes`, and source, edges STRING (digests); embedding LIST<FLOAT> (of a leaf, else null)
CALL () {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'tretriever', generation: $generation})
  USING INDEX SEEK t:TreeNode(corpus, tree, generation)
  WHERE t.level = 0
  RETURN t
  UNION
  UNWIND $tops AS id
  MATCH (:Overstory {id: id})<-[:CHILD_OF*0..]-(t:Overstory:TretrieverNode)
  RETURN t
}
OPTIONAL MATCH (t)-[:CHILD_OF]->(above:Overstory:TreeNode)
OPTIONAL MATCH (t)-[:COVERS]->(unit:Overstory)
RETURN t.id AS id, above.id AS parent, t.level AS level, t.size AS size, t.volume AS volume, t.cut AS cut,
  unit.id AS unit, t.vector AS vector, [] AS properties, coalesce(t.source, '') AS source, coalesce(t.edges, '') AS edges,
  CASE WHEN unit IS NOT NULL THEN t.embedding END AS embedding
