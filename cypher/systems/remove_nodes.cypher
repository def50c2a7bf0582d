// Deletes the nodes of one kind that belong to one system; commits as it goes.
// Parameters: $kind STRING (the label of the kind in the corpus)
// Rows: none
MATCH (n:$($kind)) WHERE n:Overstory:{{corpus}}
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
