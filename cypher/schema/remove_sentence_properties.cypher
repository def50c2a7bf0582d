// Removes what corpora and chunks said of vectors of sentences before schema 2; commits as it goes.
// Parameters: none
// Rows: none
CALL () {
  MATCH (n:Overstory:Corpus) WHERE n.sentence_embedder IS NOT NULL RETURN n
  UNION ALL
  MATCH (n:Overstory:Chunk) WHERE n.sentence_vectors IS NOT NULL RETURN n
}
CALL (n) { REMOVE n.sentence_embedder, n.sentence_vectors } IN TRANSACTIONS OF 1000 ROWS
