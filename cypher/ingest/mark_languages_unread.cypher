// Marks the chunks in some languages for the extract stage, which reads them in another way than before; commits as it goes.
// Looks at every chunk.
// Parameters: $languages LIST<STRING>
// Rows: none
MATCH (c:{{corpus}}_Chunk) WHERE c.language IN $languages
CALL (c) { SET c:{{corpus}}_Unread REMOVE c.extracted } IN TRANSACTIONS OF 10000 ROWS
