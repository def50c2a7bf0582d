// How many names the passages of a corpus mention, and how many passages there are. What only the dictionary found does
// not count.
// Parameters: none
// Rows: names, chunks INTEGER; one
MATCH (e:Entity:{{corpus}}) WHERE e.df > 0
WITH count(e) AS names
MATCH (c:{{corpus}}_Chunk)
RETURN names, count(c) AS chunks
