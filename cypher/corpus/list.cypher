// All corpora with their sizes.
// Parameters: none
// Rows: corpus MAP (the properties), documents INTEGER, chunks INTEGER; ordered by name
MATCH (corpus:Overstory:Corpus)
OPTIONAL MATCH (d:Overstory {id: corpus.unfinished})
RETURN properties(corpus) AS corpus, coalesce(corpus.documents, 0) AS documents,
  coalesce(corpus.chunks, 0) - CASE WHEN d IS NULL THEN 0 ELSE COUNT { (d)<-[:PART_OF]-() } END AS chunks
ORDER BY corpus.name
