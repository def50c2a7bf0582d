// The remembered questions that name some entities, or whose answers cite facts on them; merged ones as one.
// Parameters: $symbols LIST<STRING> (ids)
// Rows: found LIST<LIST<STRING>> (id of an entity, id of a question that names it or has an answer that does); one
CALL () {
  UNWIND $symbols AS id
  MATCH (s:Overstory {id: id, corpus: $corpus})<-[:ALIAS_OF*0..1]-(alias:Overstory:AprSymbol)
  CALL (alias) {
    MATCH (alias)<-[:ASKS]-(q:Overstory:AprQuestion)
    RETURN q
    UNION
    MATCH (alias)<-[:HEAD|TAIL]-(:Overstory:AprEdge)<-[:HAS_EDGE]-(:Overstory:AprAnswer)-[:ANSWERS]->(q:Overstory:AprQuestion)
    RETURN q
  }
  RETURN DISTINCT id, q.id AS question
}
RETURN collect([id, question]) AS found
