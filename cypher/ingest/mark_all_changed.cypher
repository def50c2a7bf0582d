// Marks every chunk and every entity for the mentions stage; commits as it goes.
// Parameters: none
// Rows: none
MATCH (n:{{corpus}}) WHERE (n:Overstory:Chunk OR n:Entity) AND NOT n:{{corpus}}_Changed
CALL (n) { SET n:{{corpus}}_Changed } IN TRANSACTIONS OF 10000 ROWS
