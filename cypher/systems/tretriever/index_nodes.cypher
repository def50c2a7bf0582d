// Gives nodes of the tree the vectors that they are found by.
// Parameters: $rows LIST<MAP {id STRING; vector LIST<FLOAT>}>; $labels LIST<STRING> (their label with its slot)
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}) WHERE t:TretrieverNode AND t.corpus = $corpus
SET t:$($labels)
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'embedding', row.vector)
