// The chunks nearest to a vector, by the corpus' own index; of chunks that share a vector, that with the lowest id. In one
// row, which is read in half of the time.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; the cosine); nearest first; near INTEGER (vectors that the
//   index returned); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH v, score ORDER BY score DESC, v.id
  RETURN collect([v, 2 * score - 1]) AS near
}
CALL (near) {
  UNWIND near[..$limit] AS one
  WITH one[0] AS v, one[1] AS cosine
  CALL (v) {
    MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
    RETURN c ORDER BY c.id LIMIT 1
  }
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WITH c.id AS id, d.id AS document, cosine ORDER BY cosine DESC, id
  RETURN collect([id, document, cosine]) AS found
}
RETURN found, size(near) AS near
