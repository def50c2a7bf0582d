// -- systems/tretriever/index_nodes
// Write the vectors by which nodes of the tree are found.
// Parameters: $rows LIST<MAP {id STRING; vector LIST<FLOAT>}>; $labels LIST<STRING> (label with its slot)
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}) WHERE t:TretrieverNode AND t.corpus = $corpus
SET t:$($labels)
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'embedding', row.vector)

// -- systems/tretriever/join_vectors
// Connect leaves and summaries to the stored vectors of their texts.
// Parameters: $rows LIST<MAP {id, vector STRING (ids)}>
// Rows: none
UNWIND $rows AS row
MATCH (n:Overstory {id: row.id})
MATCH (v:Overstory {id: row.vector}) WHERE n.corpus = $corpus AND v.corpus = $corpus
CREATE (n)-[:HAS_VECTOR]->(v)
