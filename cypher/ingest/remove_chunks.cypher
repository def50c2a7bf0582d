// Deletes chunks, and marks what they mentioned, stated and were about for the stages that follow.
// What SlimRAG has of them goes at once, with the entities that nothing else refers to, and so do the leaves of trees.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
CALL (c) {
  MATCH (c)-[:MENTIONS]->(entity:Entity:{{corpus}})
  SET entity:{{corpus}}_Stale:{{corpus}}_Changed
}
CALL (c) {
  MATCH (entity:Entity:{{corpus}})-[:ABOUT]->(c)
  SET entity:{{corpus}}_Stale:{{corpus}}_Changed
}
CALL (c) {
  MATCH (fact:Fact:{{corpus}})-[:STATED_IN]->(c)
  SET fact:{{corpus}}_Stale
}
CALL (c) {
  MATCH (s:{{corpus}}_SlimSentence)-[:PART_OF]->(c)
  OPTIONAL MATCH (s)-[:REFERS_TO]->(e:{{corpus}}_SlimEntity)
  WITH collect(DISTINCT s) AS sentences, collect(DISTINCT e) AS entities
  FOREACH (s IN sentences | DETACH DELETE s)
  WITH entities
  UNWIND entities AS e
  WITH e WHERE NOT EXISTS { (e)<-[:REFERS_TO]-() }
  DETACH DELETE e
}
CALL (c) {
  MATCH (leaf:{{corpus}}_TreeNode)-[:COVERS]->(c)
  DETACH DELETE leaf
}
DETACH DELETE c
