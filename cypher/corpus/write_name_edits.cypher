// Adds edits of names by hand.
// Parameters: $label STRING; $last INTEGER (the number of the last edit, whether it is undone later or not); $rows LIST<MAP {id, kind, name, to STRING; number INTEGER}>
// Rows: none
MATCH (corpus:Corpus:{{corpus}})
SET corpus.name_edits = $last
WITH corpus
UNWIND $rows AS row
CREATE (edit:NameEdit:Overstory:{{corpus}} {id: row.id, corpus: $label, number: row.number, kind: row.kind, name: row.name,
  to: row.to, at: datetime()})
