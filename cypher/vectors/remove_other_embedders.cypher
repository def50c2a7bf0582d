// Deletes vectors that other embedders made, used or not; commits as it goes.
// Parameters: $embedder STRING (whose vectors stay)
// Rows: none
MATCH (v:{{corpus}}_DerivedVector) WHERE v.embedder <> $embedder
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS
