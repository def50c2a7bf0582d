// Deletes chunks, and marks what they mentioned and stated for the link stage.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
CALL (c) {
  MATCH (c)-[:MENTIONS]->(entity:Entity:{{corpus}})
  SET entity:{{corpus}}_Stale
}
CALL (c) {
  MATCH (fact:Fact:{{corpus}})-[:STATED_IN]->(c)
  SET fact:{{corpus}}_Stale
}
DETACH DELETE c
