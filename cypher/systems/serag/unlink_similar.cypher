// Deletes all stored nearest neighbours; commits as it goes.
// Parameters: none
// Rows: none
MATCH (:{{corpus}}_Chunk)-[s:SIMILAR]->(:{{corpus}}_Chunk)
CALL (s) { DELETE s } IN TRANSACTIONS OF 10000 ROWS
