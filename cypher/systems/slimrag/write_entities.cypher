// Writes entities of SlimRAG; one that is there stays as it is.
// Parameters: $rows LIST<MAP {id, key, name STRING; tokens INTEGER; vector LIST<FLOAT>}>
// Rows: none
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
ON CREATE SET e:SlimEntity:$($corpus):$($corpus + '_SlimEntity'):Shared, e.corpus = $corpus, e.key = row.key, e.name = row.name,
  e.tokens = row.tokens
WITH e, row
CALL db.create.setNodeVectorProperty(e, 'embedding', row.vector)
