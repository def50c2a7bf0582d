// The chunks of some documents that share words with a question by their own text (BM25), without those that hold nothing but
// boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, "" finds nothing); $depth INTEGER (chunks asked of the index);
//   $documents LIST<STRING> (ids; null for all documents)
// Rows: chunks LIST<LIST> (ids of a chunk and of its document; BM25); best first; seen INTEGER (chunks that the index
//   returned); one
CALL () {
  WITH $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS c, score
  OPTIONAL MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WHERE ($documents IS NULL OR d.id IN $documents) AND c:Chunk AND c.corpus = $corpus AND NOT c:BoilerplateOnly
  RETURN collect(CASE WHEN d IS NOT NULL THEN [c.id, d.id, score] END) AS chunks, count(*) AS seen
}
RETURN chunks, seen
