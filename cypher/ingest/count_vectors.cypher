// How many chunks and vectors a corpus has, and how many chunks the embed stage has to look at. From the counts that the
// server keeps, without reading a node.
// Parameters: none
// Rows: chunks, missing, vectors INTEGER; one
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
CALL () { MATCH (c:{{corpus}}_Unembedded) RETURN count(c) AS missing }
CALL () { MATCH (v:{{corpus}}_PassageVector) RETURN count(v) AS vectors }
RETURN chunks, missing, vectors
