// The vectors of some chunks, as far as they have one.
// Parameters: $ids LIST<STRING>; $property STRING (where the vectors are)
// Rows: vectors LIST<LIST> (the id of a chunk, its vector); one
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH id, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
RETURN collect([id, vector]) AS vectors
