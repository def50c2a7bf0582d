// Deletes what is said of entities.
// Parameters: $rows LIST<MAP {id STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.id}) WHERE d:{{corpus}}_HiragDescription
DETACH DELETE d
