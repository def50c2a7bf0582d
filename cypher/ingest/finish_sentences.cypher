// Writes how many sentences of chunks have a vector: nothing is missing, and readers may use them.
// Parameters: $rows LIST<MAP {chunk STRING, number INTEGER}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:{{corpus}}_Chunk
SET c.sentence_vectors = row.number
