// Makes sure that the entities of names of vocabularies are there. One that is made here has no type yet, and counts for no
// other stage.
// Parameters: $rows LIST<MAP {id, key STRING}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
ON CREATE SET e:Entity:$($corpus):$($corpus + '_Entity'), e.corpus = $corpus, e.key = row.key, e.name = row.key, e.type = '', e.aliases = [],
  e.backwards = CASE WHEN row.key CONTAINS ' ' THEN reverse(row.key) END, e.df = 0, e.touched = corpus.version + 1
