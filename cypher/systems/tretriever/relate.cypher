// Writes edges between leaves, each once for two of them.
// Parameters: $rows LIST<MAP {source, target STRING (ids of leaves); weight FLOAT; chunks LIST<STRING> (ids of passages)}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.source})
MATCH (b:Overstory {id: row.target})
WHERE a:{{corpus}}_TretrieverNode AND b:{{corpus}}_TretrieverNode
MERGE (a)-[e:TRETRIEVER_EDGE]->(b)
SET e.weight = row.weight, e.chunks = row.chunks
