// Deletes the relationships of some types between chunks; commits as it goes.
// Parameters: $types LIST<STRING>
// Rows: none
MATCH (:{{corpus}}_Chunk)-[r:$any($types)]->(:{{corpus}}_Chunk)
CALL (r) { DELETE r } IN TRANSACTIONS OF 10000 ROWS
