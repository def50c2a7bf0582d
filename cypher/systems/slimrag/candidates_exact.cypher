// The entities nearest to each of some vectors, and the sentences that refer to them, by looking at all entities.
// Parameters: $vectors LIST<LIST<FLOAT>>; $nearest INTEGER (how many are kept a vector); $most INTEGER (sentences an entity)
// Rows: found LIST<LIST> (of each entity: its name; cosine to the nearest vector; how many sentences refer to it; their
//   ids, at most $most; the most similar first); one
CALL () {
  UNWIND $vectors AS vector
  CALL (vector) {
    MATCH (e:Overstory:SlimEntity {corpus: $corpus})
    USING INDEX SEEK e:SlimEntity(corpus)
    WHERE e.embedding IS NOT NULL
    RETURN e, 2 * vector.similarity.cosine(e.embedding, vector) - 1 AS cosine ORDER BY cosine DESC, e.id LIMIT $nearest
  }
  WITH e, max(cosine) AS similarity
  CALL (e) {
    MATCH (s:Overstory:SlimSentence)-[:REFERS_TO]->(e)
    WITH s LIMIT $most
    RETURN collect(s.id) AS sentences
  }
  WITH e, similarity, sentences ORDER BY similarity DESC, e.name
  RETURN collect([e.name, similarity, COUNT { (e)<-[:REFERS_TO]-() }, sentences]) AS found
}
RETURN found
