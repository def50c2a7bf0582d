// Finds what changed in a corpus since a version of it: documents, chunks and entities carry `touched`.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_touched IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.touched)
