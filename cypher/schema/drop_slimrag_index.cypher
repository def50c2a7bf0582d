// Drops the index over SlimRAG's entities.
// Parameters: none
// Rows: none
DROP INDEX overstory_slimrag_{{corpus}} IF EXISTS
