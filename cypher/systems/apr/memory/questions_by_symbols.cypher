// The remembered questions that name some entities, or whose answers cite facts on them; merged ones as one.
// Parameters: $symbols LIST<STRING> (ids)
// Rows: found LIST<LIST<STRING>> (id of an entity, id of a question that names it or has an answer that does); one
CALL () {
  UNWIND $symbols AS id
  MATCH (s:Overstory {id: id})<-[:ALIAS_OF*0..1]-(alias:AprSymbol:{{corpus}})
  CALL (alias) {
    MATCH (alias)<-[:ASKS]-(q:{{corpus}}_AprQuestion)
    RETURN q
    UNION
    MATCH (alias)<-[:HEAD|TAIL]-(:{{corpus}}_AprEdge)<-[:HAS_EDGE]-(:{{corpus}}_AprAnswer)-[:ANSWERS]->(q:{{corpus}}_AprQuestion)
    RETURN q
  }
  RETURN DISTINCT id, q.id AS question
}
RETURN collect([id, question]) AS found
