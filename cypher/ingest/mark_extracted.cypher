// Records where sentences begin, and by which extractor chunks were read.
// Parameters: $rows LIST<MAP {chunk, fingerprint STRING; sentences LIST<INTEGER>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:{{corpus}}_Chunk
SET c.extracted = row.fingerprint, c.sentences = row.sentences, c:{{corpus}}_Changed
