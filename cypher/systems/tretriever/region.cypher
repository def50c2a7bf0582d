// The root of a generation's tree, and some of the largest sets with all that is below them.
// Parameters: $tops LIST<STRING> (ids); $generation INTEGER
// Rows: as those of `systems/tree/nodes`, and source, edges STRING (digests); embedding LIST<FLOAT> (of a leaf, else null)
CALL () {
  MATCH (t:{{corpus}}_TretrieverNode) WHERE t.generation = $generation AND t.level = 0
  RETURN t
  UNION
  UNWIND $tops AS id
  MATCH (:Overstory {id: id})<-[:CHILD_OF*0..]-(t:{{corpus}}_TretrieverNode)
  RETURN t
}
OPTIONAL MATCH (t)-[:CHILD_OF]->(above:{{corpus}}_TreeNode)
OPTIONAL MATCH (t)-[:COVERS]->(unit:{{corpus}})
RETURN t.id AS id, above.id AS parent, t.level AS level, t.size AS size, t.volume AS volume, t.cut AS cut,
  unit.id AS unit, t.vector AS vector, [] AS properties, coalesce(t.source, '') AS source, coalesce(t.edges, '') AS edges,
  CASE WHEN unit IS NOT NULL THEN t.embedding END AS embedding
