// Takes back an edit of a name by hand.
// Parameters: $id STRING
// Rows: none
MATCH (edit:Overstory {id: $id}) WHERE edit:NameEdit AND edit.corpus = $corpus
DELETE edit
