// The keys of metadata by type, and how many documents and distinct values each has. Values are counted by degree.
// Parameters: none
// Rows: key, type STRING; documents, values INTEGER; ordered by key and type
MATCH (k:{{corpus}}_MetadataKey)
RETURN k.key AS key, k.type AS type, k.documents AS documents, COUNT { (k)<-[:OF_KEY]-() } AS values
ORDER BY key, type
