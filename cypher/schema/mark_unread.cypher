// Marks the chunks that no extractor has read for the extract stage, where an earlier version wrote them; commits as it goes.
// Parameters: none
// Rows: none
MATCH (c:Overstory&Chunk) WHERE c.extracted IS NULL
CALL (c) { SET c:$(c.corpus + '_Unread') } IN TRANSACTIONS OF 10000 ROWS
