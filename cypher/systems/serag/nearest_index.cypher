// The chunks nearest to each of some chunks, by the corpus' vector index.
// Parameters: $ids LIST<STRING>; $property STRING (where vectors are); $vector_index STRING; $vector_depth INTEGER
//   (asked of it); $limit INTEGER (chunks of each)
// Rows: id STRING; others LIST<LIST> (id, cosine), the nearest first; near INTEGER (vectors that the index returned)
// Since: Neo4j 2026.04 (SEARCH)
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:HAS_VECTOR]->(own:Overstory:PassageVector)
  WHERE any(x IN own[$property] WHERE x < 0.0 OR x > 0.0)
CALL (own) {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, own[$property]) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR own[$property] LIMIT $vector_depth) SCORE AS score
  RETURN collect([v, score]) AS found
}
CALL (c, found) {
  UNWIND found AS each
  WITH each[0] AS v, each[1] AS score
  MATCH (v)<-[:HAS_VECTOR]-(other:Overstory:Chunk) WHERE other <> c
  WITH other, 2 * score - 1 AS cosine ORDER BY cosine DESC, other.id LIMIT $limit
  RETURN collect([other.id, cosine]) AS others
}
RETURN id, others, size(found) AS near
