// How many nodes a corpus has, itself among them.
// Parameters: none
// Rows: nodes INTEGER; one
MATCH (n:{{corpus}}) RETURN count(n) AS nodes
