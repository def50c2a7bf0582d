// The sections that share words with a question (BM25), of some documents, without chunks that hold nothing but boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, escaped, "" finds nothing); $depth INTEGER (sections asked of the index);
//   $documents LIST<STRING> (ids; null for all documents)
// Rows: sections LIST<LIST> (the ids of a section's chunks, in order; the id of its document; BM25); best first;
//   seen INTEGER (sections that the index returned); one
CALL () {
  WITH $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS first, score
  OPTIONAL MATCH (first)-[:PART_OF]->(d:Overstory:Document) WHERE $documents IS NULL OR d.id IN $documents
  WITH first, score, d, CASE WHEN d IS NOT NULL AND first:Chunk AND first.corpus = $corpus THEN COLLECT {
    UNWIND first.section_chunks AS id
    MATCH (c:Overstory {id: id}) WHERE NOT c:BoilerplateOnly
    RETURN id
  } ELSE [] END AS chunks
  RETURN collect(CASE WHEN size(chunks) > 0 THEN [chunks, d.id, score] END) AS sections, count(*) AS seen
}
RETURN sections, seen
