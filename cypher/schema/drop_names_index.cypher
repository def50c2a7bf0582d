// Drops a corpus' index overstory_names_…; nothing happens without it.
// Parameters: none
// Rows: none
DROP INDEX overstory_names_{{corpus}} IF EXISTS
