// Deletes all edges of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[l:LINKED]-(:{{corpus}}_Chunk)
WITH DISTINCT l
DELETE l
