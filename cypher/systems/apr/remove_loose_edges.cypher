// Deletes the edges that lost a run and have no user, and marks their symbols for `remove_loose_symbols`; commits as it
// goes.
// Parameters: none
// Rows: none
MATCH (e:{{corpus}}_AprLoose:{{corpus}}_AprEdge)
CALL (e) {
  REMOVE e:{{corpus}}_AprLoose
  WITH e WHERE NOT EXISTS { (e)<-[:HAS_EDGE]-() }
  OPTIONAL MATCH (e)-[:HEAD|RELATION|TAIL]->(s:{{corpus}}_AprSymbol)
  WITH e, collect(DISTINCT s) AS symbols
  FOREACH (s IN symbols | SET s:{{corpus}}_AprLoose)
  DETACH DELETE e
} IN TRANSACTIONS OF 1000 ROWS
