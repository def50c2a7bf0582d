// Lets corpora have sets of full-text indexes, which are online.
// Parameters: $numbers LIST<INTEGER>
// Rows: none
UNWIND $numbers AS number
MATCH (indexes:Overstory {id: 'index-set-' + number})
SET indexes.ready = true
