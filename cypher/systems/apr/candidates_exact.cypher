// The entities nearest to each of some vectors, merged ones as one, and the runs that name them, by looking at all entities.
// Parameters: $vectors LIST<LIST<FLOAT>>; $nearest INTEGER (how many are kept a vector); $most INTEGER (edges an entity
//   whose runs are read)
// Rows: found LIST<LIST> (of each entity: its text; cosine to the nearest vector; how many edges have it; the ids of the
//   runs with these, with $most of them at most; its id; the most similar first); one
CALL () {
  UNWIND $vectors AS vector
  CALL (vector) {
    MATCH (s:Overstory:AprEntity {corpus: $corpus})
    USING INDEX SEEK s:AprEntity(corpus)
    WHERE s.embedding IS NOT NULL
    RETURN s AS near, 2 * vector.similarity.cosine(s.embedding, vector) - 1 AS cosine ORDER BY cosine DESC, s.id LIMIT $nearest
  }
  WITH coalesce([(near:Overstory:AprSymbol)-[:ALIAS_OF]->(r:Overstory:AprSymbol) | r][0], near) AS s, max(cosine) AS similarity
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
  WITH s, similarity, degree, runs ORDER BY similarity DESC, s.id
  RETURN collect([s.text, similarity, degree, runs, s.id]) AS found
}
RETURN found
