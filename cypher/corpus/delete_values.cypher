// Deletes the values of metadata, which no document is tied to any more; some keys have a million. Commits as it goes.
// Parameters: none
// Rows: none
MATCH (k:{{corpus}}_MetadataKey)<-[:OF_KEY]-(v:MetadataValue:{{corpus}})
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS
