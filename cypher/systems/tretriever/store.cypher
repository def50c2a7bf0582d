// -- systems/tretriever/forget_parted
// Takes note that what sets lost has been taken account of.
// Parameters: none
// Rows: none
MATCH (t:{{corpus}}_Parted) WHERE t:{{corpus}}_TretrieverNode
REMOVE t:{{corpus}}_Parted

// -- systems/tretriever/describe_nodes
// Sets the digests of nodes of the tree.
// Parameters: $rows LIST<MAP {id STRING; properties MAP}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}) WHERE t:TretrieverNode AND t.corpus = $corpus
SET t += row.properties

// -- systems/tretriever/index_nodes
// Gives nodes of the tree the vectors that they are found by.
// Parameters: $rows LIST<MAP {id STRING; vector LIST<FLOAT>}>; $labels LIST<STRING> (their label with its slot)
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}) WHERE t:TretrieverNode AND t.corpus = $corpus
SET t:$($labels)
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'embedding', row.vector)

// -- systems/tretriever/join_vectors
// Joins leaves and summaries to the stored vectors of their texts.
// Parameters: $rows LIST<MAP {id, vector STRING (ids)}>
// Rows: none
UNWIND $rows AS row
MATCH (n:Overstory {id: row.id})
MATCH (v:Overstory {id: row.vector}) WHERE n.corpus = $corpus AND v.corpus = $corpus
CALL (n) {
  MATCH (n)-[old:HAS_VECTOR]->(:Overstory:DerivedVector)
  DELETE old
}
CREATE (n)-[:HAS_VECTOR]->(v)

// -- systems/tretriever/relate
// Writes edges between leaves, each once for two of them.
// Parameters: $rows LIST<MAP {source, target STRING (ids of leaves); weight FLOAT; chunks LIST<STRING> (ids of passages)}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.source})
MATCH (b:Overstory {id: row.target})
WHERE a:TretrieverNode AND a.corpus = $corpus AND b:TretrieverNode AND b.corpus = $corpus
MERGE (a)-[e:TRETRIEVER_EDGE]->(b)
SET e.weight = row.weight, e.chunks = row.chunks
