// The first values of the type text of some keys of metadata, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first)
// Rows: key STRING; first LIST (in order); last LIST (one)
UNWIND $keys AS key
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, text)
  WHERE v.text IS NOT NULL
  WITH v ORDER BY v.corpus, v.key, v.text LIMIT $limit
  RETURN collect(v.text) AS first
}
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, text)
  WHERE v.text IS NOT NULL
  WITH v ORDER BY v.corpus DESC, v.key DESC, v.text DESC LIMIT 1
  RETURN collect(v.text) AS last
}
RETURN key, first, last
