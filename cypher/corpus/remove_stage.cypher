// Takes a line out of the ledger.
// Parameters: $id STRING
// Rows: none
MATCH (stage:Overstory {id: $id}) WHERE stage:Stage:{{corpus}}
DETACH DELETE stage
