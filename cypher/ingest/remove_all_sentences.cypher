// Deletes every sentence, and what chunks say of them; commits as it goes.
// Parameters: none
// Rows: none
MATCH (c:{{corpus}}_Chunk)
CALL (c) {
  REMOVE c.sentence_vectors
  WITH c
  MATCH (s:{{corpus}}_Sentence)-[:PART_OF]->(c)
  DETACH DELETE s
} IN TRANSACTIONS OF 1000 ROWS
