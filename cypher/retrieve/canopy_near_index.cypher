// The chunks near a question by meaning, by the corpus' own index; of chunks that share a vector, that with the lowest id.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $depth INTEGER (chunks)
// Rows: found LIST<LIST> (ids of a chunk and of its document); near INTEGER (vectors that the index returned);
//   vectors INTEGER (of the corpus); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () { MATCH (v:{{corpus}}_PassageVector) RETURN count(v) AS vectors }
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH v, score ORDER BY score DESC, v.id
  RETURN collect(v) AS nearest
}
RETURN size(nearest) AS near, vectors, COLLECT {
  UNWIND nearest[..$depth] AS v
  CALL (v) {
    MATCH (v)<-[:HAS_VECTOR]-(c:{{corpus}}_Chunk)
    RETURN c ORDER BY c.id LIMIT 1
  }
  MATCH (c)-[:PART_OF]->(d:{{corpus}}_Document)
  RETURN [c.id, d.id]
} AS found
