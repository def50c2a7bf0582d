// Search: passages that mean the same as a document's first
// Parameters: $document STRING (title, id or source of a document)
// Rows: similarity FLOAT (cosine), title, text, heading, id STRING (of the passage); nearest first
MATCH (corpus:Corpus:{{corpus}})
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH corpus.embedding_property AS vector, d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(first:{{corpus}}_Chunk)
WITH vector, first ORDER BY first.seq LIMIT 1
MATCH (c:{{corpus}}_Chunk) WHERE c <> first AND c[vector] IS NOT NULL AND first[vector] IS NOT NULL
WITH c, 2 * vector.similarity.cosine(c[vector], first[vector]) - 1 AS similarity
ORDER BY similarity DESC, c.id LIMIT 25
RETURN round(similarity, 3) AS similarity, c.title AS title, c.text AS text, c.heading AS heading, c.id AS id
