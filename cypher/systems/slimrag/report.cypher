// What SlimRAG's index of a corpus holds, and the tokens that it took.
// Parameters: none
// Rows: sentences, entities, references, corpus_tokens, prompt_tokens, completion_tokens, embedding_tokens INTEGER; one
CALL () { MATCH (s:{{corpus}}_SlimSentence) RETURN count(s) AS sentences, sum(s.tokens) AS of_sentences }
CALL () { MATCH (e:{{corpus}}_SlimEntity) RETURN count(e) AS entities, sum(e.tokens) AS of_entities }
CALL () { MATCH (:{{corpus}}_SlimSentence)-[r:REFERS_TO]->() RETURN count(r) AS references }
CALL () {
  MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document) WHERE d.slimrag_prompt_tokens IS NOT NULL
  RETURN sum(c.token_count) AS corpus_tokens
}
CALL () {
  MATCH (d:{{corpus}}_Document)
  RETURN sum(d.slimrag_prompt_tokens) AS prompt_tokens, sum(d.slimrag_completion_tokens) AS completion_tokens
}
RETURN sentences, entities, references, corpus_tokens, prompt_tokens, completion_tokens,
  of_sentences + of_entities AS embedding_tokens
