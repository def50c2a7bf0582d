// Marks all symbols of entities as such that were compared with no other; commits as it goes.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprEntity) WHERE NOT s:{{corpus}}_AprUnmerged
CALL (s) {
  SET s:{{corpus}}_AprUnmerged
} IN TRANSACTIONS OF 10000 ROWS
