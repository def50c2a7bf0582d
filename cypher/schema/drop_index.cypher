// Drops an index, if it is there.
// Parameters: $name STRING
// Rows: none
DROP INDEX $name IF EXISTS
