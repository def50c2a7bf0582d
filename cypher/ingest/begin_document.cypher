// Before the first chunks of a document that is written in several transactions. A new one is no document for anybody until
// the last of them; one that is there counts as changed until then.
// Parameters: $id STRING
// Rows: none
MERGE (d:Overstory {id: $id})
ON CREATE SET d:$($corpus)
WITH d WHERE d:Document AND d.corpus = $corpus
SET d.sha256 = ''
REMOVE d.content_sha256
