// The chunks of few documents that share words with a question by their own text (BM25), without those that hold nothing but
// boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, "" finds nothing); $depth INTEGER (chunks asked of the index);
//   $documents LIST<STRING> (ids)
// Rows: as those of `retrieve/words_among`
CALL () {
  UNWIND $documents AS id
  MATCH (:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk) WHERE NOT c:BoilerplateOnly
  RETURN collect(c) AS own
}
CALL (own) {
  WITH $query AS query, own WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS c, score
  RETURN collect(CASE WHEN c IN own THEN [c, score] END) AS found, count(*) AS seen
}
RETURN seen, COLLECT {
  UNWIND found AS each
  WITH each[0] AS c, each[1] AS score
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  RETURN [c.id, d.id, score]
} AS chunks
