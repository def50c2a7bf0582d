// Drops a corpus' index overstory_id_…; nothing happens without it.
// Parameters: none
// Rows: none
DROP INDEX overstory_id_{{corpus}} IF EXISTS
