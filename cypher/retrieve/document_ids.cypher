// The ids of all documents of a corpus.
// Parameters: none
// Rows: documents LIST<STRING>; one
RETURN COLLECT { MATCH (d:{{corpus}}_Document) RETURN d.id } AS documents
