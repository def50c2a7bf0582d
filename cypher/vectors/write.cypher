// Writes vectors of derived texts, which a stage is about to join its nodes to; one that is there stays as it is.
// Parameters: $embedder, $stage STRING; $rows LIST<MAP {id STRING; vector BYTES (float16)}>
// Rows: none
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:DerivedVector:$($corpus):$($corpus + '_DerivedVector'):Shared:$($corpus + '_Awaited'),
  v.corpus = $corpus, v.embedder = $embedder, v.awaited_by = $stage, v.vector = row.vector
