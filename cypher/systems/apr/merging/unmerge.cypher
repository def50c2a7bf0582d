// Undoes merging: symbols stand for themselves again, and edges too; commits as it goes.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprAlias)
CALL (s) {
  REMOVE s:{{corpus}}_AprAlias
  WITH s
  OPTIONAL MATCH (s)-[alias:ALIAS_OF]->(:{{corpus}}_AprEntity)
  DELETE alias
  WITH DISTINCT s
  MATCH (s)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge)
  REMOVE e.canonical
} IN TRANSACTIONS OF 1000 ROWS
