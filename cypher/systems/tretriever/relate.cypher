// Writes edges between leaves, each once for two of them.
// Parameters: $rows LIST<MAP {source, target STRING (ids of leaves); weight FLOAT; chunks LIST<STRING> (ids of passages)}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.source})
MATCH (b:Overstory {id: row.target})
WHERE a:TretrieverNode AND a.corpus = $corpus AND b:TretrieverNode AND b.corpus = $corpus
MERGE (a)-[e:TRETRIEVER_EDGE]->(b)
SET e.weight = row.weight, e.chunks = row.chunks
