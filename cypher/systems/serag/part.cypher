// Deletes all edges of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[l:LINKED]-(:Overstory:Chunk)
WITH DISTINCT l
DELETE l
