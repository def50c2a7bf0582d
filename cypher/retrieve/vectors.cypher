// The vectors of some chunks, as far as they have one.
// Parameters: $ids LIST<STRING>; $property STRING (where the vectors are)
// Rows: chunk_id STRING; vector LIST<FLOAT>
UNWIND $ids AS id
MATCH (c:Overstory {id: id})
WITH id, c[$property] AS vector WHERE vector IS NOT NULL
RETURN id AS chunk_id, vector
