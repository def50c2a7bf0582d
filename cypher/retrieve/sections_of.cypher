// The sections that share words with a question (BM25), of few documents, without chunks that hold nothing but boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, escaped, "" finds nothing); $depth INTEGER (sections asked of the index);
//   $documents LIST<STRING> (ids)
// Rows: as those of `retrieve/sections_among`
CALL () {
  UNWIND $documents AS id
  MATCH (:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(first:Overstory:Chunk)
  RETURN collect(first) AS own
}
CALL (own) {
  WITH $query AS query, own WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS first, score
  RETURN collect(CASE WHEN first IN own THEN [first, score] END) AS found, count(*) AS seen
}
RETURN seen, COLLECT {
  UNWIND found AS each
  WITH each[0] AS first, each[1] AS score
  MATCH (first)-[:PART_OF]->(d:Overstory:Document)
  WITH first, score, d, COLLECT {
    UNWIND first.section_chunks AS id
    MATCH (c:Overstory {id: id, corpus: $corpus}) WHERE NOT c:BoilerplateOnly
    RETURN id
  } AS chunks WHERE size(chunks) > 0
  RETURN [chunks, d.id, score]
} AS sections
