// Lets corpora have a set of full-text indexes, which are online.
// Parameters: $number INTEGER
// Rows: none
MATCH (indexes:Overstory {id: 'index-set-' + $number})
SET indexes.ready = true
