// Deletes every sentence and entity of SlimRAG; commits as it goes.
// Parameters: none
// Rows: none
CALL () {
  MATCH (s:{{corpus}}_SlimSentence) RETURN s AS n
  UNION ALL
  MATCH (e:{{corpus}}_SlimEntity) RETURN e AS n
}
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
