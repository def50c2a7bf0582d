// Deletes the relationships of some types that begin at units; commits as it goes.
// Parameters: $types LIST<STRING>
// Rows: none
MATCH (:{{label}})-[r:$any($types)]->(:Overstory)
CALL (r) { DELETE r } IN TRANSACTIONS OF 10000 ROWS
