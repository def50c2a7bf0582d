// The chunks nearest to each of some chunks, by looking at all vectors: for corpora that are too small for an index.
// Parameters: $ids LIST<STRING>; $property STRING (where vectors are); $limit INTEGER (chunks of each)
// Rows: id STRING; others LIST<LIST> (id, cosine), the nearest first
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:HAS_VECTOR]->(own:Overstory:PassageVector)
WITH id, c, own[$property] AS vector WHERE any(x IN own[$property] WHERE x < 0.0 OR x > 0.0)
CALL (c, vector) {
  MATCH (v:Overstory:PassageVector {corpus: $corpus})
  USING INDEX SEEK v:PassageVector(corpus)
  WITH v, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
  WITH v, 2 * vector.similarity.cosine(stored, vector) - 1 AS cosine
  MATCH (v)<-[:HAS_VECTOR]-(other:Overstory:Chunk) WHERE other <> c
  WITH other, cosine ORDER BY cosine DESC, other.id LIMIT $limit
  RETURN collect([other.id, cosine]) AS others
}
RETURN id, others
