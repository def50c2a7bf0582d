// Drops a corpus' index overstory_vector_…; nothing happens without it.
// Parameters: none
// Rows: none
DROP INDEX overstory_vector_{{corpus}} IF EXISTS
