// Gives remembered questions other vectors.
// Parameters: $rows LIST<MAP {id STRING; vector BYTES}>
// Rows: none
UNWIND $rows AS row
MATCH (q:Overstory {id: row.id}) WHERE q:AprQuestion AND q.corpus = $corpus
SET q.vector = row.vector
