// What SlimRAG's index of a corpus holds, and the tokens that it took.
// Parameters: none
// Rows: documents, done, sentences, entities, references, corpus_tokens, prompt_tokens, completion_tokens,
//   embedding_tokens INTEGER; one
CALL () { MATCH (d:{{corpus}}_Document) RETURN count(d) AS documents }
CALL () { MATCH (s:{{corpus}}_SlimSentence) RETURN count(s) AS sentences, sum(s.tokens) AS of_sentences }
CALL () { MATCH (e:{{corpus}}_SlimEntity) RETURN count(e) AS entities, sum(e.tokens) AS of_entities }
CALL () { MATCH (:{{corpus}}_SlimSentence)-[r:REFERS_TO]->() RETURN count(r) AS references }
CALL () {
  MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(:{{corpus}}_SlimRead)
  RETURN sum(c.token_count) AS corpus_tokens
}
CALL () {
  MATCH (d:{{corpus}}_SlimRead)
  RETURN count(d) AS done, sum(d.slimrag_prompt_tokens) AS prompt_tokens,
    sum(d.slimrag_completion_tokens) AS completion_tokens
}
RETURN documents, done, sentences, entities, references, corpus_tokens, prompt_tokens, completion_tokens,
  of_sentences + of_entities AS embedding_tokens
