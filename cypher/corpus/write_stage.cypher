// Writes a line of the ledger, unless the lease went to somebody else.
// Parameters: $token, $id, $name, $properties MAP
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
MERGE (stage:Overstory {id: $id})
ON CREATE SET stage:Stage:$($corpus), stage.corpus = $corpus, stage.name = $name
SET stage += $properties, stage.writer_token = $token
MERGE (stage)-[:OF]->(corpus)
