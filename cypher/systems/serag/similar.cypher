// The stored nearest neighbours of chunks, where GDS found them. Chunk by chunk: sorting all at once takes the server more
// memory than finding them.
// Parameters: none
// Rows: id STRING; others LIST<LIST> (id, score, which is (1 + cosine) / 2), the nearest first
MATCH (c:{{corpus}}_Chunk)
RETURN c.id AS id, COLLECT {
  MATCH (c)-[s:SIMILAR]->(other:{{corpus}}_Chunk)
  RETURN [other.id, s.score] ORDER BY s.score DESC, other.id
} AS others
