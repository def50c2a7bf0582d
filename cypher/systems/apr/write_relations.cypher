// Writes symbols of relations; one that is there stays as it is.
// Parameters: $rows LIST<MAP {id, key, text STRING; vector BYTES (float16)}>
// Rows: none
UNWIND $rows AS row
MERGE (s:Overstory {id: row.id})
ON CREATE SET s:AprSymbol:AprRelation:$($corpus):$($corpus + '_AprSymbol'):$($corpus + '_AprRelation'):Shared, s.corpus = $corpus,
  s.kind = 'relation', s.key = row.key, s.text = row.text, s.vector = row.vector
