// Marks the chunks in some languages for the extract stage, which reads them in another way than before; commits as it goes.
// Looks at every chunk.
// Parameters: $languages LIST<STRING>
// Rows: none
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL AND c.language IN $languages
CALL (c) { SET c:$($corpus + '_Unread') REMOVE c.extracted } IN TRANSACTIONS OF 10000 ROWS
