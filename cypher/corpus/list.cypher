// All corpora with their sizes.
// Parameters: none
// Rows: corpus MAP (the properties), documents INTEGER, chunks INTEGER; ordered by name
MATCH (corpus:Overstory:Corpus)
CALL (corpus) {
  MATCH (document:Document:Overstory)-[:IN]->(corpus)
  RETURN count(document) AS documents, sum(document.chunks) AS chunks
}
RETURN properties(corpus) AS corpus, documents, chunks ORDER BY corpus.name
