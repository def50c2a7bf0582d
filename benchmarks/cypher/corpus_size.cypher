// What a corpus takes of the store, systems included.
// Parameters: none
// Rows: nodes, relationships INTEGER; one
MATCH (n:{{corpus}})
RETURN count(n) AS nodes, sum(COUNT { (n)-->() }) AS relationships
