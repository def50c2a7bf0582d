// Changes how many documents have a value of some type under a key.
// Parameters: $rows LIST<MAP {id, key, type STRING; change INTEGER}>
// Rows: none
UNWIND $rows AS row
MERGE (k:Overstory {id: row.id})
ON CREATE SET k:MetadataKey:$($corpus):$($corpus + '_MetadataKey'), k.corpus = $corpus, k.key = row.key, k.type = row.type,
  k.documents = 0
SET k.documents = k.documents + row.change
