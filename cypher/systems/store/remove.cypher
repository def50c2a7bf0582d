// Deletes nodes of a system.
// Parameters: $rows LIST<MAP {id STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (n:Overstory {id: row.id}) WHERE n.corpus = $corpus
DETACH DELETE n
