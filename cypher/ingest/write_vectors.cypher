// Stores vectors as float32. SeRAG's tree does not know them.
// Parameters: $property STRING; $rows LIST<MAP {id STRING, vector LIST<FLOAT>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:{{corpus}}_Chunk
REMOVE c:{{corpus}}_SeragRead
WITH c, row
CALL db.create.setNodeVectorProperty(c, $property, row.vector)
