// Gives the names of two words or more that an earlier version wrote their keys backwards; commits as it goes.
// Parameters: none
// Rows: none
MATCH (e:Overstory&Entity) WHERE e.key CONTAINS ' ' AND e.backwards IS NULL
CALL (e) { SET e.backwards = reverse(e.key) } IN TRANSACTIONS OF 10000 ROWS
