// How many chunks a corpus has, and how many of them no extractor has read. From the counts that the server keeps.
// Parameters: none
// Rows: chunks, unread INTEGER; one
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
CALL () { MATCH (c:{{corpus}}_Unread) RETURN count(c) AS unread }
RETURN chunks, unread
