// Marks all folders, since something else counts as boilerplate now; commits as it goes.
// Parameters: none
// Rows: none
MATCH (f:Folder:{{corpus}})
CALL (f) { SET f:{{corpus}}_BoilerplateStale } IN TRANSACTIONS OF 10000 ROWS
