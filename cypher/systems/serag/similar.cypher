// The stored nearest neighbours of chunks, where GDS found them. Chunk by chunk: sorting all at once takes the server more
// memory than finding them.
// Parameters: none
// Rows: id STRING; others LIST<LIST> (id, score, which is (1 + cosine) / 2), the nearest first
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN c.id AS id, COLLECT {
  MATCH (c)-[s:SIMILAR]->(other:Overstory:Chunk)
  RETURN [other.id, s.score] ORDER BY s.score DESC, other.id
} AS others
