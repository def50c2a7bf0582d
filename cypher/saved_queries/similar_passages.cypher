// Search: passages that mean the same as a document's first
// Parameters: $document STRING (title, id or source of a document)
// Rows: similarity FLOAT (cosine), title, text, heading, id STRING (of the passage), times INTEGER (how often its text is
//   there); nearest first, each text once
MATCH (corpus:Corpus:{{corpus}})
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH corpus.embedding_property AS vector, d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(first:{{corpus}}_Chunk)
WITH vector, first ORDER BY first.seq LIMIT 1
MATCH (first)-[:HAS_VECTOR]->(own) WHERE any(x IN own[vector] WHERE x < 0.0 OR x > 0.0)
MATCH (v:{{corpus}}_PassageVector) WHERE v <> own AND any(x IN v[vector] WHERE x < 0.0 OR x > 0.0)
WITH v, 2 * vector.similarity.cosine(v[vector], own[vector]) - 1 AS similarity ORDER BY similarity DESC, v.id LIMIT 25
CALL (v) {
  MATCH (v)<-[:HAS_VECTOR]-(c:{{corpus}}_Chunk)
  RETURN c ORDER BY c.id LIMIT 1
}
RETURN round(similarity, 3) AS similarity, c.title AS title, c.text AS text, c.heading AS heading, c.id AS id,
  COUNT { (v)<-[:HAS_VECTOR]-() } AS times
ORDER BY similarity DESC, id
