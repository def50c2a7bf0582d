// Deletes facts that nothing states any more, with the relationships between entities that they were; commits as it goes.
// Parameters: none
// Rows: none
MATCH (f:{{corpus}}_Stale:Fact:{{corpus}}) WHERE NOT EXISTS { (f)-[:STATED_IN]->() }
CALL (f) {
  OPTIONAL MATCH (f)-[:SUBJECT]->(s:Entity:{{corpus}})-[r:RELATED {predicate: f.predicate}]->(o:Entity:{{corpus}})<-[:OBJECT]-(f)
  DELETE r
  DETACH DELETE f
} IN TRANSACTIONS OF 1000 ROWS
