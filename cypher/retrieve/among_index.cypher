// The chunks near a vector, by the corpus' own index, all that share each vector found: the client looks for those that it
// may show.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $most INTEGER (chunks a vector)
// Rows: found LIST<LIST> (cosine; ids of a chunk and of its document, LIST<LIST>, at most $most, by id); nearest first;
//   near INTEGER (vectors that the index returned); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH v, score ORDER BY score DESC, v.id
  RETURN collect([v, 2 * score - 1]) AS nearest
}
RETURN size(nearest) AS near, COLLECT {
  UNWIND nearest AS one
  WITH one[0] AS v, one[1] AS cosine
  CALL (v) {
    MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
    WITH c ORDER BY c.id LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN collect([c.id, d.id]) AS chunks
  }
  RETURN [cosine, chunks]
} AS found
