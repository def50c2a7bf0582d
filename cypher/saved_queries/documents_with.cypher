// Documents: those that share values of their metadata
// Parameters: $key STRING (a key of metadata)
// Rows: tie PATH; a picture of the five values that most documents have, each with ten of them
MATCH (k:{{corpus}}_MetadataKey) WHERE k.key = $key
MATCH (k)<-[:OF_KEY]-(v:MetadataValue)
WITH v ORDER BY COUNT { (v)<-[:HAS_VALUE]-() } DESC, v.id LIMIT 5
CALL (v) { MATCH tie = (v)<-[:HAS_VALUE]-(:{{corpus}}_Document) RETURN tie LIMIT 10 }
RETURN tie
