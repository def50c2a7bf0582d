// Deletes representatives that no edge has any more; their aliases are to be compared again. One that has no aliases any
// more is none. Commits as it goes.
// Parameters: none
// Rows: none
MATCH (r:{{corpus}}_AprRepresentative)
CALL (r) {
  WITH r, COLLECT { MATCH (r)<-[:ALIAS_OF]-(s:{{corpus}}_AprEntity) RETURN s } AS aliases
  FOREACH (_ IN CASE WHEN aliases = [] THEN [1] ELSE [] END | REMOVE r:{{corpus}}_AprRepresentative)
  WITH r, aliases WHERE NOT EXISTS { (r)<-[:HEAD|TAIL]-(:{{corpus}}_AprEdge) }
  FOREACH (s IN aliases | REMOVE s:{{corpus}}_AprAlias SET s:{{corpus}}_AprUnmerged)
  DETACH DELETE r
  WITH aliases
  UNWIND aliases AS s
  MATCH (s)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge)
  REMOVE e.canonical
} IN TRANSACTIONS OF 1000 ROWS
