// Stores vectors as float32.
// Parameters: $property STRING; $rows LIST<MAP {id STRING, vector LIST<FLOAT>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:{{corpus}}_Chunk
CALL db.create.setNodeVectorProperty(c, $property, row.vector)
