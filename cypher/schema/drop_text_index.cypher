// Drops a corpus' index overstory_text_…; nothing happens without it.
// Parameters: none
// Rows: none
DROP INDEX overstory_text_{{corpus}} IF EXISTS
