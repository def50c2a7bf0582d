// The labels of nodes in any database, but for those that only ours have.
// Parameters: none
// Rows: label STRING; ordered
CALL db.labels() YIELD label
WITH label WHERE label <> 'Overstory' AND NOT label STARTS WITH 'Corpus_'
CALL (label) {
  MATCH (n:$(label)) WHERE NOT n:Overstory
  RETURN n LIMIT 1
}
RETURN label ORDER BY label
