// How near some chunks are to a vector.
// Parameters: $ids LIST<STRING>; $property STRING (where the vectors are); $vector LIST<FLOAT>
// Rows: ids LIST<STRING> (of those with a vector); cosines LIST<FLOAT>; one
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[:HAS_VECTOR]->(v:{{corpus}}_PassageVector)
WITH id, v[$property] AS stored WHERE stored IS NOT NULL
RETURN collect(id) AS ids, collect(2 * vector.similarity.cosine(stored, $vector) - 1) AS cosines
