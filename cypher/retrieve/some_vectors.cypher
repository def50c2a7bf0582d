// Vectors of some passages, of a bounded number those with the lowest ids, which are hashes: as good as drawn by lot.
// Parameters: $property STRING (where vectors are); $most INTEGER (passages); $looked_at INTEGER (passages drawn from)
// Rows: id STRING (of the chunk; of chunks that share a vector the lowest); vector LIST<FLOAT>; ordered by vector
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
WITH v LIMIT $looked_at
WITH v, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
WITH v, vector ORDER BY v.id LIMIT $most
CALL (v) {
  MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
  RETURN c ORDER BY c.id LIMIT 1
}
RETURN c.id AS id, vector ORDER BY v.id
