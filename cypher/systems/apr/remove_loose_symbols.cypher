// Deletes the symbols that lost an edge and have no user: no edge, and no symbol whose representative they are; commits as
// it goes.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprLoose:{{corpus}}_AprSymbol)
CALL (s) {
  REMOVE s:{{corpus}}_AprLoose
  WITH s WHERE NOT EXISTS { (s)<-[:HEAD|RELATION|TAIL|ALIAS_OF]-(:{{corpus}}) }
  DETACH DELETE s
} IN TRANSACTIONS OF 1000 ROWS
