// Drops an index; nothing happens without it.
// Parameters: $name STRING
// Rows: none
DROP INDEX $name IF EXISTS
