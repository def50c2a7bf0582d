// The order of a corpus' documents by source and key, in which they are listed, and found by source or folder. Only
// documents have a source_key.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_sources IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.source, n.source_key)
