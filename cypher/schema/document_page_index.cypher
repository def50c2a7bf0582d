// The order in which the documents of a corpus are exported and counted. Only documents have a sha256.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_pages IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.id, n.sha256)
