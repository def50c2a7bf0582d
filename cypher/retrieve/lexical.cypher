// The chunks that share words with a question (BM25), without those that hold nothing but boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, escaped); $limit INTEGER
// Rows: chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER (characters in the
//   document); boilerplate LIST<INTEGER> or null (spans of the text); document MAP (its properties);
//   repeated INTEGER (other chunks that share its vector); score FLOAT; best first
CALL () { MATCH (b:{{corpus}}_BoilerplateOnly) RETURN count(b) AS hidden }
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit + hidden}) YIELD node AS c, score
WITH c, score WHERE c:{{corpus}}_Chunk AND NOT c:{{corpus}}_BoilerplateOnly
WITH c, score LIMIT $limit
MATCH (c)-[:PART_OF]->(d:{{corpus}}_Document)
RETURN c.id AS chunk_id, d.id AS document_id, d.source AS source, d.source_key AS source_key, c.title AS title,
  c.heading AS heading, c.text AS text, c.start AS start, c.end AS end,
  c.boilerplate AS boilerplate, properties(d) AS document,
  coalesce([(c)-[:HAS_VECTOR]->(v:{{corpus}}_PassageVector) | COUNT { (v)<-[:HAS_VECTOR]-() } - 1][0], 0) AS repeated, score
ORDER BY score DESC, chunk_id
