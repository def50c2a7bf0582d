// Deletes the nodes of one kind; commits as it goes.
// Parameters: none
// Rows: none
MATCH (n:{{label}})
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
