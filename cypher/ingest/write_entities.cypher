// Makes sure that entities are there, and marks them for the entities stage, which gives them their names, and for the
// mentions stage.
// Parameters: $rows LIST<MAP {id, key STRING}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
ON CREATE SET e:Entity:$($corpus):$($corpus + '_Entity'), e.corpus = $corpus, e.key = row.key, e.name = row.key,
  e.backwards = CASE WHEN row.key CONTAINS ' ' THEN reverse(row.key) END, e.touched = corpus.version + 1
SET e:$($corpus + '_Stale'):$($corpus + '_Changed')
