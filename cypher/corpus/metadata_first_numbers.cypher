// The first values of the type number of some keys of metadata, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first)
// Rows: key STRING; first LIST (in order); last LIST (one)
UNWIND $keys AS key
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, number)
  WHERE v.number IS NOT NULL
  WITH v ORDER BY v.corpus, v.key, v.number LIMIT $limit
  RETURN collect(v.number) AS first
}
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, number)
  WHERE v.number IS NOT NULL
  WITH v ORDER BY v.corpus DESC, v.key DESC, v.number DESC LIMIT 1
  RETURN collect(v.number) AS last
}
RETURN key, first, last
