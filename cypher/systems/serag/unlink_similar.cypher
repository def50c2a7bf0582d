// Deletes all stored nearest neighbours; commits as it goes.
// Parameters: none
// Rows: none
MATCH (c:Overstory {corpus: $corpus})-[s:SIMILAR]->(:Overstory:Chunk)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
CALL (s) { DELETE s } IN TRANSACTIONS OF 10000 ROWS
