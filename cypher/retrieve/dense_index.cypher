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
