// Takes the marks of a stage that has joined its nodes off vectors, and deletes those that nothing uses; commits as it goes.
// Parameters: $stage STRING
// Rows: none
MATCH (v:{{corpus}}_Awaited) WHERE v.awaited_by = $stage
CALL (v) {
  REMOVE v.awaited_by, v:{{corpus}}_Awaited
  WITH v WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-(:Overstory) }
  DETACH DELETE v
} IN TRANSACTIONS OF 1000 ROWS
