// -- retrieve/dense_exact
// The chunks nearest to a vector, to be shown, by looking at all vectors; of chunks that share one, that with the lowest id.
// In one row, which is read in four fifths of the time.
// Parameters: $property STRING (where the vectors are); $vector LIST<FLOAT>; $limit INTEGER
// Rows: chunks LIST<MAP {chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER
//   (characters in the document); boilerplate LIST<INTEGER> or null (spans of the text); document MAP (its properties);
//   repeated INTEGER (other chunks that share its vector); score FLOAT (cosine)}>; nearest first; one
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
// Read once: 65 ms instead of 110 for 6,700 vectors. One of zeros or NaN has no cosine; the server would refuse all.
WITH v, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
WITH v, 2 * vector.similarity.cosine(stored, $vector) - 1 AS score ORDER BY score DESC, v.id LIMIT $limit
CALL (v) {
  MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
  RETURN c ORDER BY c.id LIMIT 1
}
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
WITH v, c, d, score ORDER BY score DESC, c.id
RETURN collect({
  chunk_id: c.id, document_id: d.id, source: d.source, source_key: d.source_key, title: c.title, heading: c.heading,
  text: c.text, start: c.start, end: c.end, boilerplate: c.boilerplate, document: properties(d),
  repeated: COUNT { (v)<-[:HAS_VECTOR]-() } - 1, score: score
}) AS chunks

// -- retrieve/dense_index
// The chunks nearest to a vector, to be shown, by the corpus' own index; of chunks that share a vector, that with the
// lowest id. In one row, which is read in four fifths of the time.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $limit INTEGER
// Rows: chunks LIST<MAP {chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER
//   (characters in the document); boilerplate LIST<INTEGER> or null (spans of the text); document MAP (its properties);
//   repeated INTEGER (other chunks that share its vector); score FLOAT (cosine)}>; nearest first; near INTEGER (vectors
//   that the index returned); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH v, score ORDER BY score DESC, v.id
  RETURN collect([v, 2 * score - 1]) AS near
}
RETURN size(near) AS near, COLLECT {
  UNWIND near[..$limit] AS one
  WITH one[0] AS v, one[1] AS score
  CALL (v) {
    MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
    RETURN c ORDER BY c.id LIMIT 1
  }
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WITH v, c, d, score ORDER BY score DESC, c.id
  RETURN {
    chunk_id: c.id, document_id: d.id, source: d.source, source_key: d.source_key, title: c.title, heading: c.heading,
    text: c.text, start: c.start, end: c.end, boilerplate: c.boilerplate, document: properties(d),
    repeated: COUNT { (v)<-[:HAS_VECTOR]-() } - 1, score: score
  }
} AS chunks

// -- retrieve/lexical
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

// -- retrieve/nearest_nodes
// The nodes of one kind nearest to a vector, by the index over them: asked for $depth, of which the best $limit are kept.
// Parameters: $index STRING; $vector LIST<FLOAT>; $depth, $limit INTEGER
// Rows: id STRING; score FLOAT (cosine, -1 to 1); best first
// Since: Neo4j 2026.04 (SEARCH)
CALL db.index.vector.queryNodes($index, $depth, $vector) YIELD node AS n, score
// since: MATCH (n) SEARCH n IN (VECTOR INDEX {{$index}} FOR $vector LIMIT $depth) SCORE AS score
WITH n, 2 * score - 1 AS score WHERE n.corpus = $corpus
RETURN n.id AS id, score ORDER BY score DESC, id LIMIT $limit

// -- retrieve/section_vectors
// The vectors of the sections that some chunks are in, where they have one.
// Parameters: $ids LIST<STRING> (chunks); $property STRING (where the vectors are)
// Rows: sections LIST<LIST<LIST>> (of each section its chunks: an id, a vector, how many tokens were embedded); one
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
OPTIONAL MATCH (first:Overstory {id: c.section})
WITH DISTINCT coalesce(first.section_chunks, [id]) AS chunks // the first is gone while a large document is replaced
WITH chunks, COLLECT {
  UNWIND chunks AS chunk
  MATCH (c:Overstory {id: chunk})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  WITH c, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
  RETURN [c.id, vector, c.token_count]
} AS members
RETURN collect(members) AS sections

// -- retrieve/word_sections
// The sections that share words with a question (BM25), without chunks that hold nothing but boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, escaped, "" finds nothing); $depth INTEGER (sections)
// Rows: sections LIST<LIST> (the ids of a section's chunks, in order; the id of its document; BM25); best first; one
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.boilerplate_only, 0) AS hidden
CALL (hidden) {
  WITH hidden, $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth + hidden}) YIELD node AS first, score
  WITH hidden, first, score WHERE first:Chunk AND first.corpus = $corpus
  WITH first, score, CASE WHEN hidden = 0 THEN first.section_chunks ELSE COLLECT {
    UNWIND first.section_chunks AS id
    MATCH (c:Overstory {id: id}) WHERE NOT c:BoilerplateOnly
    RETURN id
  } END AS chunks
  WITH first, score, chunks WHERE size(chunks) > 0
  WITH first, score, chunks LIMIT $depth
  RETURN collect([
    chunks, COLLECT { MATCH (first)-[:PART_OF]->(d:Overstory:Document) RETURN d.id }[0], score
  ]) AS sections
}
RETURN sections

// -- retrieve/cosines
// How near some chunks are to some vectors.
// Parameters: $ids LIST<STRING>; $property STRING (where the vectors are); $vectors LIST<LIST<FLOAT>> (none of zeros)
// Rows: ids LIST<STRING> (of those with a vector); cosines LIST<LIST<FLOAT>> (of each, in the order of $vectors); one
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH id, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
RETURN collect(id) AS ids, collect([vector IN $vectors | 2 * vector.similarity.cosine(stored, vector) - 1]) AS cosines

// -- retrieve/nearest_exact
// The chunks nearest to a vector, by looking at all vectors; of chunks that share one, that with the lowest id. In one row,
// which is read in half of the time.
// Parameters: $property STRING (where the vectors are); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; the cosine); nearest first; one
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
// Read once: 65 ms instead of 110 for 6,700 vectors. One of zeros or NaN has no cosine; the server would refuse all.
WITH v, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
WITH v, 2 * vector.similarity.cosine(stored, $vector) - 1 AS cosine ORDER BY cosine DESC, v.id LIMIT $limit
CALL (v) {
  MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
  RETURN c ORDER BY c.id LIMIT 1
}
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
WITH c.id AS id, d.id AS document, cosine ORDER BY cosine DESC, id
RETURN collect([id, document, cosine]) AS found

// -- retrieve/nearest_index
// The chunks nearest to a vector, by the corpus' own index; of chunks that share a vector, that with the lowest id. In one
// row, which is read in half of the time.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; the cosine); nearest first; near INTEGER (vectors that the
//   index returned); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH v, score ORDER BY score DESC, v.id
  RETURN collect([v, 2 * score - 1]) AS near
}
CALL (near) {
  UNWIND near[..$limit] AS one
  WITH one[0] AS v, one[1] AS cosine
  CALL (v) {
    MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
    RETURN c ORDER BY c.id LIMIT 1
  }
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WITH c.id AS id, d.id AS document, cosine ORDER BY cosine DESC, id
  RETURN collect([id, document, cosine]) AS found
}
RETURN found, size(near) AS near
