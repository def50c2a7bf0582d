// Writes symbols of entities, marked as compared with no other yet; one that is there stays as it is.
// Parameters: $rows LIST<MAP {id, key, text STRING; vector LIST<FLOAT>}>
// Rows: none
UNWIND $rows AS row
MERGE (s:Overstory {id: row.id})
ON CREATE SET s:AprSymbol:AprEntity:$($corpus):$($corpus + '_AprSymbol'):$($corpus + '_AprEntity'):Shared:$($corpus + '_AprUnmerged'),
  s.corpus = $corpus, s.kind = 'entity', s.key = row.key, s.text = row.text
WITH s, row
CALL db.create.setNodeVectorProperty(s, 'embedding', row.vector)
