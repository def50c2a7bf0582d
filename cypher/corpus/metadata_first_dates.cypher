// The first values of the type date of some keys of metadata, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first)
// Rows: key STRING; first LIST (in order); last LIST (one)
UNWIND $keys AS key
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, date)
  WHERE v.date IS NOT NULL
  WITH v ORDER BY v.corpus, v.key, v.date LIMIT $limit
  RETURN collect(v.date) AS first
}
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, date)
  WHERE v.date IS NOT NULL
  WITH v ORDER BY v.corpus DESC, v.key DESC, v.date DESC LIMIT 1
  RETURN collect(v.date) AS last
}
RETURN key, first, last
