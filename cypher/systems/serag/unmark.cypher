// Takes SeRAG's mark off every chunk; commits as it goes.
// Parameters: none
// Rows: none
MATCH (c:{{corpus}}_SeragRead)
CALL (c) { REMOVE c:{{corpus}}_SeragRead } IN TRANSACTIONS OF 10000 ROWS
