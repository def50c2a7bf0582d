// How near some chunks are to some vectors.
// Parameters: $ids LIST<STRING>; $property STRING (where the vectors are); $vectors LIST<LIST<FLOAT>> (none of zeros)
// Rows: ids LIST<STRING> (of those with a vector); cosines LIST<LIST<FLOAT>> (of each, in the order of $vectors); one
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH id, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
RETURN collect(id) AS ids, collect([vector IN $vectors | 2 * vector.similarity.cosine(stored, vector) - 1]) AS cosines
