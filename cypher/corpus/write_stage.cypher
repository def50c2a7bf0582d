// Writes a line of the ledger, unless the lease went to somebody else.
// Parameters: $corpus_id, $token, $id, $name, $label STRING; $properties MAP
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus_id}) WHERE corpus.writer_token = $token
MERGE (stage:Overstory {id: $id})
ON CREATE SET stage:Stage:{{corpus}}, stage.corpus = $label, stage.name = $name
SET stage += $properties
MERGE (stage)-[:OF]->(corpus)
