// The sentences that state some facts, each in one passage.
// Parameters: $asked MAP {facts LIST<LIST<STRING>> (ids of a fact, and of a chunk that states it)} (in a map, since the
//   server plans a statement again for each order of magnitude of a list)
// Rows: fact, sentence STRING (the first of the passage that states it)
UNWIND $asked.facts AS one
MATCH (f:Overstory {id: one[0]}) WHERE f:Fact AND f.corpus = $corpus
MATCH (f)-[s:STATED_IN]->(c:Overstory:Chunk {id: one[1]})
WITH f, s ORDER BY s.position
RETURN f.id AS fact, head(collect(s.quote)) AS sentence
