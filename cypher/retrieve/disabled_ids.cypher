// The ids of the disabled documents of a corpus.
// Parameters: none
// Rows: documents LIST<STRING>; one
RETURN COLLECT { MATCH (d:{{corpus}}_Disabled) RETURN d.id } AS documents
