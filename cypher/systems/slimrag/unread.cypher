// Marks every document as not read by SlimRAG; commits as it goes.
// Parameters: none
// Rows: none
MATCH (d:{{corpus}}_SlimRead)
CALL (d) {
  REMOVE d:{{corpus}}_SlimRead, d.slimrag_prompt_tokens, d.slimrag_completion_tokens
} IN TRANSACTIONS OF 1000 ROWS
