// The ledger of a corpus.
// Parameters: none
// Rows: stage MAP (the properties); ordered by start
MATCH (:Overstory {id: $corpus})<-[:OF]-(stage:Overstory:Stage)
RETURN properties(stage) AS stage ORDER BY stage.started, stage.name
