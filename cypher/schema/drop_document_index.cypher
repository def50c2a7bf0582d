// Drops a corpus' index overstory_document_…; nothing happens without it.
// Parameters: none
// Rows: none
DROP INDEX overstory_document_{{corpus}} IF EXISTS
