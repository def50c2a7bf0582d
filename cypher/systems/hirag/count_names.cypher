// How many names the passages of a corpus mention. What only the dictionary found does not count.
// Parameters: none
// Rows: names INTEGER; one
MATCH (e:Entity:{{corpus}}) WHERE e.df > 0
RETURN count(e) AS names
