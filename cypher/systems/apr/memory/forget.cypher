// Deletes remembered answers, questions that only they answered, and edges that only they have; marks the symbols of these
// for `remove_loose_symbols`.
// Parameters: $memory STRING (its id); $ids LIST<STRING>
// Rows: forgotten INTEGER; one
UNWIND $ids AS id
MATCH (a:Overstory {id: id}) WHERE a:AprAnswer AND a.corpus = $corpus
OPTIONAL MATCH (a)-[:ANSWERS]->(q:Overstory:AprQuestion)
OPTIONAL MATCH (a)-[:HAS_EDGE]->(e:Overstory:AprEdge)
WITH collect(DISTINCT a) AS answers, collect(DISTINCT q) AS questions, collect(DISTINCT e) AS edges
FOREACH (a IN answers | DETACH DELETE a)
WITH size(answers) AS forgotten, questions, edges
CALL (questions) {
  UNWIND questions AS q
  WITH q WHERE NOT EXISTS { (q)<-[:ANSWERS]-(:Overstory:AprAnswer) }
  DETACH DELETE q
}
CALL (edges) {
  UNWIND edges AS e
  WITH e WHERE NOT EXISTS { (e)<-[:HAS_EDGE]-(:Overstory) }
  OPTIONAL MATCH (e)-[:HEAD|RELATION|TAIL]->(s:Overstory:AprSymbol)
  WITH e, collect(s) AS symbols
  FOREACH (s IN symbols | SET s:$($corpus + '_AprLoose'))
  DETACH DELETE e
}
CALL (forgotten) {
  MATCH (m:Overstory {id: $memory, corpus: $corpus}) WHERE forgotten > 0
  SET m.version = m.version + 1
}
RETURN forgotten
