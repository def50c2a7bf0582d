// Writes a line of the ledger.
// Parameters: $corpus_id, $id, $name, $label STRING; $properties MAP
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus_id})
MERGE (stage:Overstory {id: $id})
ON CREATE SET stage:Stage:{{corpus}}, stage.corpus = $label, stage.name = $name
SET stage += $properties
MERGE (stage)-[:OF]->(corpus)
