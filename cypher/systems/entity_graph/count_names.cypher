// How many names the passages of a corpus mention, and how many passages there are. What only the dictionary found does
// not count.
// Parameters: none
// Rows: names, chunks INTEGER; one
MATCH (e:Entity:{{corpus}}) WHERE e.df > 0
WITH count(e) AS names // a row also where there is none
RETURN names, COUNT { (c:{{corpus}}_Chunk) } AS chunks
