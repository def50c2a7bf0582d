// Deletes representatives that no edge has any more; their aliases are to be compared again. Commits as it goes.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprAlias)
OPTIONAL MATCH (s)-[:ALIAS_OF]->(representative:{{corpus}}_AprEntity)
WITH s, representative WHERE representative IS NULL OR NOT EXISTS { (representative)<-[:HEAD|TAIL]-(:{{corpus}}_AprEdge) }
WITH representative, collect(s) AS aliases
CALL (representative, aliases) {
  FOREACH (s IN aliases | REMOVE s:{{corpus}}_AprAlias SET s:{{corpus}}_AprUnmerged)
  DETACH DELETE representative
  WITH aliases
  UNWIND aliases AS s
  MATCH (s)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge)
  REMOVE e.canonical
} IN TRANSACTIONS OF 1000 ROWS
