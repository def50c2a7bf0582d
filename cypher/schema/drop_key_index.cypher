// Drops a corpus' index overstory_key_…; nothing happens without it.
// Parameters: none
// Rows: none
DROP INDEX overstory_key_{{corpus}} IF EXISTS
