// The chunks nearest to a vector, by the corpus' own index: asked for $depth, of which the best $limit are kept.
// Parameters: $index STRING; $vector LIST<FLOAT>; $depth, $limit INTEGER
// Rows: chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER (characters in the
//   document); document MAP (its properties); score FLOAT (cosine, -1 to 1); best first
CALL db.index.vector.queryNodes($index, $depth, $vector) YIELD node AS c, score
WITH c, 2 * score - 1 AS score WHERE c:{{corpus}}_Chunk
ORDER BY score DESC, c.id LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Document)
RETURN c.id AS chunk_id, d.id AS document_id, d.source AS source, d.source_key AS source_key, c.title AS title,
  c.heading AS heading, c.text AS text, c.start AS start, c.end AS end, properties(d) AS document, score
ORDER BY score DESC, chunk_id
