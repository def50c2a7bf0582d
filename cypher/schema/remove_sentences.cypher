// Deletes the sentences that had vectors of their own before schema 2, and the stage that made them; commits as it goes.
// Parameters: none
// Rows: none
CALL () {
  MATCH (n:Overstory:Sentence) RETURN n
  UNION ALL
  MATCH (n:Overstory:Stage {name: 'sentences'}) RETURN n
}
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
