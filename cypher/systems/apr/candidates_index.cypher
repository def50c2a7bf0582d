// The entities nearest to each of some vectors, merged ones as one, and the runs that name them, by the index of entities.
// Parameters: $vector_index STRING; $vectors LIST<LIST<FLOAT>>; $vector_depth INTEGER (how many the index is asked for);
//   $nearest INTEGER (how many of them are kept a vector); $most INTEGER (edges an entity whose runs are read)
// Rows: found LIST<LIST> (of each entity: its text; cosine to the nearest vector; how many edges have it; the ids of the
//   runs with these, with $most of them at most; its id; the most similar first); near INTEGER (entities that the index returned
//   for the vector with the fewest); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  UNWIND $vectors AS vector
  CALL (vector) {
    CALL db.index.vector.queryNodes($vector_index, $vector_depth, vector) YIELD node AS s, score
    // since: MATCH (s) SEARCH s IN (VECTOR INDEX {{$vector_index}} FOR vector LIMIT $vector_depth) SCORE AS score
    WITH s, score ORDER BY score DESC, s.id
    RETURN collect([s, 2 * score - 1]) AS nearest
  }
  RETURN collect(nearest[..$nearest]) AS nearest, min(size(nearest)) AS near
}
RETURN near, COLLECT {
  UNWIND nearest AS some
  UNWIND some AS one
  WITH one[0] AS entity, one[1] AS cosine
  WITH coalesce([(entity:Overstory:AprSymbol)-[:ALIAS_OF]->(r:Overstory:AprSymbol) | r][0], entity) AS s, max(cosine) AS similarity
  CALL (s) {
    MATCH (s:Overstory:AprSymbol)<-[:ALIAS_OF*0..1]-(alias:Overstory:AprSymbol)
    RETURN sum(COUNT { (alias)<-[:HEAD]-() } + COUNT { (alias)<-[:TAIL]-() }) AS degree
  }
  CALL (s) {
    MATCH (s:Overstory:AprSymbol)<-[:ALIAS_OF*0..1]-(:Overstory:AprSymbol)<-[:HEAD|TAIL]-(e:Overstory:AprEdge)
    WITH DISTINCT e LIMIT $most
    MATCH (e)<-[:HAS_EDGE]-(r:Overstory:AprRun)
    RETURN collect(DISTINCT r.id) AS runs
  }
  RETURN [s.text, similarity, degree, runs, s.id] ORDER BY similarity DESC, s.id
} AS found
