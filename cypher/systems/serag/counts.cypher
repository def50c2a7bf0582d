// How many chunks there are, and how many are in SeRAG's tree as they are now; from the counts that the database keeps.
// Parameters: none
// Rows: chunks, done INTEGER; one
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
CALL () { MATCH (c:{{corpus}}_SeragRead) RETURN count(c) AS done }
RETURN chunks, done
