// Parts all documents from the values of their metadata, some of which a million documents share; commits as it goes.
// Parameters: none
// Rows: none
MATCH (d:{{corpus}}_Document)
CALL (d) { MATCH (d)-[tie:HAS_VALUE]->(:MetadataValue:{{corpus}}) DELETE tie } IN TRANSACTIONS OF 1000 ROWS
