// Takes a line out of the ledger.
// Parameters: $id STRING
// Rows: none
MATCH (stage:Overstory {id: $id}) WHERE stage:Stage AND stage.corpus = $corpus
DETACH DELETE stage
