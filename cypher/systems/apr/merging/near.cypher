// The symbols near some, by the index of entities.
// Parameters: $index STRING; $ids LIST<STRING>; $depth INTEGER (how many the index is asked for); $least FLOAT (cosine)
// Rows: id, text STRING; near LIST<LIST> (id, text)
// Since: Neo4j 2026.04 (SEARCH)
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:AprEntity AND s.corpus = $corpus
CALL (s) {
  CALL db.index.vector.queryNodes($index, $depth, s.embedding) YIELD node, score
  // since: MATCH (node) SEARCH node IN (VECTOR INDEX {{$index}} FOR s.embedding LIMIT $depth) SCORE AS score
  WITH node, score WHERE 2 * score - 1 >= $least AND node <> s
  RETURN collect([node.id, node.text]) AS near
}
RETURN s.id AS id, s.text AS text, near
