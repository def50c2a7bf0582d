// Deletes vectors that nothing uses and no stage awaits; commits as it goes.
// Parameters: none
// Rows: none
MATCH (v:{{corpus}}_DerivedVector) WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-() } AND NOT v:{{corpus}}_Awaited
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS
