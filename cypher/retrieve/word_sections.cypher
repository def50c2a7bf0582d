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
