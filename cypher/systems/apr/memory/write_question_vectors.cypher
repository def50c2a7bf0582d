// Gives remembered questions other vectors.
// Parameters: $rows LIST<MAP {id STRING; vector BYTES}>
// Rows: none
UNWIND $rows AS row
MATCH (q:Overstory {id: row.id}) WHERE q:{{corpus}}_AprQuestion
SET q.vector = row.vector
