// The entities nearest to each of some vectors, and the sentences that refer to them, by the index of entities.
// Parameters: $vector_index STRING; $vectors LIST<LIST<FLOAT>>; $vector_depth INTEGER (how many the index is asked for);
//   $nearest INTEGER (how many of them are kept a vector); $most INTEGER (sentences an entity)
// Rows: found LIST<LIST> (of each entity: its name; cosine to the nearest vector; how many sentences refer to it; their
//   ids, at most $most; the most similar first); near INTEGER (entities that the index returned for the vector with the
//   fewest); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  UNWIND $vectors AS vector
  CALL (vector) {
    CALL db.index.vector.queryNodes($vector_index, $vector_depth, vector) YIELD node AS e, score
    // since: MATCH (e) SEARCH e IN (VECTOR INDEX {{$vector_index}} FOR vector LIMIT $vector_depth) SCORE AS score
    WITH e, score ORDER BY score DESC, e.id
    RETURN collect([e, 2 * score - 1]) AS nearest
  }
  RETURN collect(nearest[..$nearest]) AS nearest, min(size(nearest)) AS near
}
RETURN near, COLLECT {
  UNWIND nearest AS some
  UNWIND some AS one
  WITH one[0] AS e, max(one[1]) AS similarity
  CALL (e) {
    MATCH (s:Overstory:SlimSentence)-[:REFERS_TO]->(e)
    WITH s LIMIT $most
    RETURN collect(s.id) AS sentences
  }
  RETURN [e.name, similarity, COUNT { (e)<-[:REFERS_TO]-() }, sentences] ORDER BY similarity DESC, e.name
} AS found
