// Deletes every stored edge of the chunk graph; commits as it goes.
// Parameters: none
// Rows: none
MATCH (:{{corpus}}_Chunk)-[l:LINKED]->(:{{corpus}}_Chunk)
CALL (l) { DELETE l } IN TRANSACTIONS OF 10000 ROWS
