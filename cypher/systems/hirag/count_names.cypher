// How many names the passages of a corpus mention, but for those that only a dictionary found.
// Parameters: none
// Rows: names INTEGER; one
MATCH (e:Entity:{{corpus}}) WHERE e.df > 0
RETURN count(e) AS names
