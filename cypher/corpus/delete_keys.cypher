// Deletes the keys of metadata, whose values are gone.
// Parameters: none
// Rows: none
MATCH (k:{{corpus}}_MetadataKey)
CALL (k) { DETACH DELETE k } IN TRANSACTIONS OF 1000 ROWS
