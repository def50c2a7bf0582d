// Deletes edges between leaves.
// Parameters: $rows LIST<MAP {source, target STRING (ids of leaves)}>
// Rows: none
UNWIND $rows AS row
MATCH (:Overstory {id: row.source})-[e:TRETRIEVER_EDGE]->(:{{corpus}}_TretrieverNode {id: row.target})
DELETE e
