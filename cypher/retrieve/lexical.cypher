// The chunks that share words with a question (BM25).
// Parameters: $index STRING; $query STRING (Lucene, escaped); $limit INTEGER
// Rows: chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER (characters in the
//   document); document MAP (its properties); score FLOAT; best first
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit}) YIELD node AS c, score
WITH c, score WHERE c:{{corpus}}_Chunk
MATCH (c)-[:PART_OF]->(d:{{corpus}}_Document)
RETURN c.id AS chunk_id, d.id AS document_id, d.source AS source, d.source_key AS source_key, c.title AS title,
  c.heading AS heading, c.text AS text, c.start AS start, c.end AS end, properties(d) AS document, score
ORDER BY score DESC, chunk_id
