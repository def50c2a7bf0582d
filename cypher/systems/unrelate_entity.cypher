// Deletes the relationships of some types between entities; commits as it goes.
// Parameters: $types LIST<STRING>
// Rows: none
MATCH (:{{corpus}}_Entity)-[r:$any($types)]->(:{{corpus}}_Entity)
CALL (r) { DELETE r } IN TRANSACTIONS OF 10000 ROWS
