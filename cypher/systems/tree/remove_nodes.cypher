// Deletes nodes of a tree.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (t:Overstory {id: id})
DETACH DELETE t
