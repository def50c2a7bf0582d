// The chunks nearest to a vector, by looking at all of them.
// Parameters: $property STRING (where the vectors are); $vector LIST<FLOAT>; $depth INTEGER
// Rows: ids LIST<STRING>; cosines LIST<FLOAT>; one
MATCH (c:{{corpus}}_Chunk)
WITH c, c[$property] AS stored WHERE stored IS NOT NULL
WITH c.id AS id, 2 * vector.similarity.cosine(stored, $vector) - 1 AS cosine
ORDER BY cosine DESC, id LIMIT $depth
RETURN collect(id) AS ids, collect(cosine) AS cosines
