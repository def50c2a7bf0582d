// How many nodes of some kinds a corpus has.
// Parameters: $kinds LIST<STRING> (the labels of the kinds in the corpus)
// Rows: nodes INTEGER; one
MATCH (n:{{corpus}}) WHERE any(kind IN $kinds WHERE kind IN labels(n))
RETURN count(n) AS nodes
