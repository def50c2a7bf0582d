// Removes vectors from chunks; commits as it goes.
// Parameters: $property STRING
// Rows: none
MATCH (c:{{corpus}}_Chunk) WHERE c[$property] IS NOT NULL
CALL (c) { REMOVE c[$property] } IN TRANSACTIONS OF 5000 ROWS
