// How many nodes carry a label, from the counts that the server keeps.
// Parameters: none
// Rows: nodes INTEGER; one
MATCH (n:{{label}}) RETURN count(n) AS nodes
