// Which of some facts their chunks still state.
// Parameters: $facts LIST<LIST<STRING>> (ids of an edge and of a chunk)
// Rows: stated LIST<LIST<STRING>> (as they were given); one
UNWIND $facts AS fact
MATCH (c:Overstory {id: fact[1]}) WHERE c:Chunk AND c.corpus = $corpus
AND EXISTS {
  MATCH (c)<-[:PART_OF]-(:Overstory:AprRun)-[:HAS_EDGE]->(e:Overstory:AprEdge) WHERE e.id = fact[0]
}
RETURN collect(fact) AS stated
