// The entities nearest to each of some vectors, and the sentences that refer to them.
// Parameters: $index STRING; $vectors LIST<LIST<FLOAT>>; $depth INTEGER (how many the index is asked for);
//   $nearest INTEGER (how many of them are kept a vector); $most INTEGER (sentences an entity)
// Rows: name STRING; similarity FLOAT (cosine to the nearest vector); degree INTEGER (sentences that refer to it);
//   sentences LIST<STRING> (ids, at most $most)
UNWIND $vectors AS vector
CALL (vector) {
  CALL db.index.vector.queryNodes($index, $depth, vector) YIELD node AS e, score
  WITH e, score WHERE e:{{corpus}}_SlimEntity
  RETURN e, score ORDER BY score DESC, e.id LIMIT $nearest
}
WITH e, max(2 * score - 1) AS similarity
CALL (e) {
  MATCH (s:{{corpus}}_SlimSentence)-[:REFERS_TO]->(e)
  WITH s LIMIT $most
  RETURN collect(s.id) AS sentences
}
RETURN e.name AS name, similarity, COUNT { (e)<-[:REFERS_TO]-() } AS degree, sentences
ORDER BY similarity DESC, name
