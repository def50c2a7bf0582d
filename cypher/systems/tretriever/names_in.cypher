// The entities that some chunks mention or are about.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:MENTIONS|ABOUT]-(e:Overstory:Entity) WHERE c:Chunk AND c.corpus = $corpus
RETURN DISTINCT e.id AS id
