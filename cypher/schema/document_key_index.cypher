// Documents of a corpus by the key that their source gives them.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_keys IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.source_key)
