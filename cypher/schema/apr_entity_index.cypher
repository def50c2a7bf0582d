// The entities of AutoPrunedRetriever's codebook by their corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_apr_entities IF NOT EXISTS FOR (s:AprEntity) ON (s.corpus)
