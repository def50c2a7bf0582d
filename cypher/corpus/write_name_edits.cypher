// Adds edits of names by hand.
// Parameters: $last INTEGER (the number of the last edit, whether it is undone later or not); $rows LIST<MAP {id, kind, name, to STRING; number INTEGER}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
SET corpus.name_edits = $last
WITH corpus
UNWIND $rows AS row
CREATE (edit:NameEdit:Overstory:$($corpus) {id: row.id, corpus: $corpus, number: row.number, kind: row.kind, name: row.name,
  to: row.to, at: datetime()})
