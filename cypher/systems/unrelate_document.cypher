// Deletes the relationships of some types between documents; commits as it goes.
// Parameters: $types LIST<STRING>
// Rows: none
MATCH (:{{corpus}}_Document)-[r:$any($types)]->(:{{corpus}}_Document)
CALL (r) { DELETE r } IN TRANSACTIONS OF 10000 ROWS
