// The chunks of the sections that share most words with a question (BM25), without those that hold nothing but boilerplate.
// The best chunk of a section has the score of the section, the others less in proportion to their own BM25.
// Parameters: $word_index, $query STRING (Lucene, escaped, over sections); $text_index, $words STRING (the same over chunks);
//   $depth INTEGER (chunks compared by their own words); $limit INTEGER
// Rows: chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER (characters in the
//   document); boilerplate LIST<INTEGER> or null (spans of the text); document MAP (its properties);
//   repeated INTEGER (other chunks that share its vector); score FLOAT; best first
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.boilerplate_only, 0) AS hidden
CALL (hidden) {
  CALL db.index.fulltext.queryNodes($word_index, $query, {limit: $limit + hidden}) YIELD node AS first, score
  WITH first, score WHERE first:Chunk AND first.corpus = $corpus
  UNWIND first.section_chunks AS id
  MATCH (c:Overstory {id: id})
  RETURN c, score AS section, 0.0 AS own
  UNION ALL
  WITH $words AS words WHERE words <> ''
  CALL db.index.fulltext.queryNodes($text_index, words, {limit: $depth}) YIELD node AS c, score
  RETURN c, 0.0 AS section, score AS own
}
WITH c, sum(section) AS section, sum(own) AS own WHERE section > 0 AND c:Chunk AND c.corpus = $corpus AND NOT c:BoilerplateOnly
WITH c.section AS id, section, collect([c, own]) AS chunks, max(own) AS most
UNWIND chunks AS each
WITH each[0] AS c, section * (1 + each[1]) / (1 + most) AS score ORDER BY score DESC, c.id LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
RETURN c.id AS chunk_id, d.id AS document_id, d.source AS source, d.source_key AS source_key, c.title AS title,
  c.heading AS heading, c.text AS text, c.start AS start, c.end AS end,
  c.boilerplate AS boilerplate, properties(d) AS document,
  coalesce([(c)-[:HAS_VECTOR]->(v:Overstory:PassageVector) | COUNT { (v)<-[:HAS_VECTOR]-() } - 1][0], 0) AS repeated, score
ORDER BY score DESC, chunk_id
