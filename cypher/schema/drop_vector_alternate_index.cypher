// Drops a corpus' index overstory_vector_alternate_…; nothing happens without it.
// Parameters: none
// Rows: none
DROP INDEX overstory_vector_alternate_{{corpus}} IF EXISTS
