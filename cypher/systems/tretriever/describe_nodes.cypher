// Sets the digests of nodes of the tree.
// Parameters: $rows LIST<MAP {id STRING; properties MAP}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}) WHERE t:TretrieverNode AND t.corpus = $corpus
SET t += row.properties
