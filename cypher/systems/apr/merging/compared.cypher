// Takes the mark off symbols that were compared with all others; commits as it goes.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprUnmerged)
CALL (s) {
  REMOVE s:{{corpus}}_AprUnmerged
} IN TRANSACTIONS OF 10000 ROWS
