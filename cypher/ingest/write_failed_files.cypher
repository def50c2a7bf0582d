// Remembers files that could not be read, or not all of them; those that are remembered keep the time since when.
// Parameters: $rows LIST<MAP {id, source, root, reason, remedy STRING; line INTEGER or NULL;
//   faults INTEGER}>
// Rows: none
UNWIND $rows AS row
MERGE (f:Overstory {id: row.id})
ON CREATE SET f:FailedFile:$($corpus):$($corpus + '_FailedFile'), f.corpus = $corpus, f.source = row.source,
  f.since = datetime()
SET f.root = row.root, f.reason = row.reason, f.remedy = row.remedy, f.line = row.line, f.faults = row.faults
