// Documents: the keys of their metadata, with types and counts
// Parameters: none
// Rows: key, type STRING; documents, values INTEGER (how many have some, how many distinct ones there are)
MATCH (k:{{corpus}}_MetadataKey)
RETURN k.key AS key, k.type AS type, k.documents AS documents, COUNT { (k)<-[:OF_KEY]-() } AS values
ORDER BY key, type LIMIT 200
