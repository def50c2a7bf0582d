// The documents that links join to some.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (d:Overstory {id: id})-[:LINKS]-(other:Overstory:Document) WHERE d:Document AND d.corpus = $corpus
RETURN DISTINCT other.id AS id
