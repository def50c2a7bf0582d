// Stores vectors as float32.
// Parameters: $property STRING; $rows LIST<MAP {id STRING, vector LIST<FLOAT>}>
// Rows: none
MATCH (corpus:Corpus:{{corpus}})
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:{{corpus}}_Chunk
SET c.touched = corpus.version + 1
WITH c, row
CALL db.create.setNodeVectorProperty(c, $property, row.vector)
