// Deletes chunks with their sentences, and marks what they mentioned, stated and were about for the stages that follow.
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
  MATCH (s:{{corpus}}_Sentence)-[:PART_OF]->(c)
  DETACH DELETE s
}
DETACH DELETE c
