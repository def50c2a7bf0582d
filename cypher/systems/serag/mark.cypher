// Marks chunks as being in SeRAG's tree as they are now.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id})
SET c:{{corpus}}_SeragRead
