// Changes how many documents folders have, and marks them: another part of their documents may have a block now.
// Parameters: $rows LIST<MAP {id, path STRING; change INTEGER}>
// Rows: none
UNWIND $rows AS row
MERGE (f:Overstory {id: row.id})
ON CREATE SET f:Folder:$($corpus), f.corpus = $corpus, f.path = row.path, f.documents = 0
SET f.documents = f.documents + row.change, f:$($corpus + '_BoilerplateStale')
