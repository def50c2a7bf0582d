// Deletes entities that nothing mentions any more.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity:{{corpus}}
DETACH DELETE e
