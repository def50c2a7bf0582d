// Deletes everything that a corpus holds, but not the corpus itself; commits as it goes.
// Parameters: none
// Rows: none
MATCH (n:{{corpus}}) WHERE NOT n:Corpus
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
