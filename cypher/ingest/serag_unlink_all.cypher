// Deletes every edge between chunks that SeRAG wrote; commits as it goes.
// Parameters: none
// Rows: none
MATCH (:{{corpus}}_Chunk)-[l:LINKED|SIMILAR]->(:{{corpus}}_Chunk)
CALL (l) { DELETE l } IN TRANSACTIONS OF 10000 ROWS
