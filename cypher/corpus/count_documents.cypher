// How many documents a corpus has.
// Parameters: none
// Rows: documents INTEGER; one
MATCH (n:{{corpus}}_Document)
RETURN count(n) AS documents
