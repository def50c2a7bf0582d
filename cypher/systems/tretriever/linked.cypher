// The documents that links join to some.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (d:Overstory {id: id})-[:LINKS]-(other:{{corpus}}_Document) WHERE d:{{corpus}}_Document
RETURN DISTINCT other.id AS id
