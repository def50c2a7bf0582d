// Deletes facts that nothing states any more, with the relationships between entities that they were.
// Parameters: $limit INTEGER
// Rows: deleted INTEGER; one
MATCH (f:{{corpus}}_Stale:Fact) WHERE NOT EXISTS { (f)-[:STATED_IN]->() }
WITH f LIMIT $limit
CALL (f) {
  MATCH (f)-[:SUBJECT]->(s:Entity)-[r:RELATED {predicate: f.predicate}]->(o:Entity)<-[:OBJECT]-(f)
  DELETE r
}
DETACH DELETE f
RETURN count(*) AS deleted
