// The most specific names in some chunks.
// Parameters: $ids LIST<STRING> (chunks); $names INTEGER (how many of a chunk)
// Rows: id STRING; names LIST<LIST> (a name, its IDF weight, 0 to 1); the greatest first
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN id, COLLECT {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
  WITH DISTINCT e ORDER BY e.df, e.name LIMIT $names
  RETURN [e.name, coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0)]
} AS names
