// -- retrieve/table_documents
// Find documents with passages that contain words of a question and rows of tables, best first.
// Parameters: $index STRING; $query STRING (Lucene); $depth INTEGER (passages to request from the index); $mark STRING
//   (contained in rows); $documents LIST<STRING> (ids; null for all documents); $limit INTEGER
// Rows: documents LIST<STRING> (ids); one row
CALL () {
  CALL db.index.fulltext.queryNodes($index, $query, {limit: $depth}) YIELD node AS c, score
  WITH c, score WHERE c:Chunk AND c.corpus = $corpus AND c.text CONTAINS $mark
  MATCH (c)-[:PART_OF]->(d:Overstory:Document) WHERE $documents IS NULL OR d.id IN $documents
  WITH d, sum(score) AS score ORDER BY score DESC, d.id LIMIT $limit
  RETURN collect(d.id) AS documents
}
RETURN documents

// -- retrieve/table_passages
// Read the passages of a document that contain rows of tables, and the passages in which such rows begin or end.
// Parameters: $document STRING (id); $mark STRING (contained in rows); $large INTEGER (passages of a large document);
//   $words LIST<STRING> (in lower case; of a large document, only passages that contain all of them are read); $most
//   INTEGER (passages to return)
// Rows: title STRING; passages LIST<LIST> (id; number in the document; heading; text), in the order of the text; found
//   INTEGER (such passages, counted up to $most + 1); one row
MATCH (d:Overstory {id: $document, corpus: $corpus})
CALL (d) {
  MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
  WHERE c.text CONTAINS $mark AND (d.chunks <= $large
    OR all(word IN $words WHERE toLower(c.title + '\n' + c.heading + '\n' + c.text) CONTAINS word))
  WITH c LIMIT $most + 1
  CALL (c) {
    RETURN c AS own
    UNION
    MATCH (c)-[:NEXT]->(own:Overstory:Chunk) WHERE NOT c.text ENDS WITH '\n'
    RETURN own
    UNION
    MATCH (own:Overstory:Chunk)-[:NEXT]->(c) WHERE NOT own.text ENDS WITH '\n'
    RETURN own
  }
  WITH collect(DISTINCT c) AS found, collect(DISTINCT own) AS every
  RETURN size(found) AS found, COLLECT {
    UNWIND every AS one
    WITH one ORDER BY one.seq
    RETURN [one.id, one.seq, one.heading, one.text]
  } AS passages
}
RETURN d.title AS title, passages, found

// -- retrieve/records
// Read the documents of a source, such as the rows of a CSV file with a column for the text.
// Parameters: $source STRING; $most INTEGER (documents to return); $documents LIST<STRING> (ids; null for all documents)
// Rows: documents LIST<MAP> (the properties), in the order of the keys, or [] if there are more than $most; found INTEGER
//   (such documents, counted up to $most + 1); one row
CALL () {
  MATCH (d:Overstory {corpus: $corpus, source: $source})
  USING INDEX SEEK d:Overstory(corpus, source, source_key)
  WHERE d.source_key IS NOT NULL AND d.sha256 IS NOT NULL AND ($documents IS NULL OR d.id IN $documents)
  WITH d ORDER BY d.corpus, d.source, d.source_key LIMIT $most + 1
  RETURN collect(properties(d)) AS documents
}
RETURN CASE WHEN size(documents) > $most THEN [] ELSE documents END AS documents, size(documents) AS found
