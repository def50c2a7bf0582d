// Waits until an index can be used.
// Parameters: $name STRING; $seconds INTEGER
// Rows: none
CALL db.awaitIndex($name, $seconds)
