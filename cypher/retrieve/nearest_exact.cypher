// The chunks nearest to a vector, by looking at all of them; in one row, which is read in half of the time.
// Parameters: $property STRING (where the vectors are); $vector LIST<FLOAT>; $limit INTEGER
// Rows: ids LIST<STRING>; cosines LIST<FLOAT>; nearest first; one
MATCH (c:{{corpus}}_Chunk)
WITH c, c[$property] AS stored WHERE stored IS NOT NULL // read once: 65 ms instead of 110 for 6,700 chunks
WITH c.id AS id, 2 * vector.similarity.cosine(stored, $vector) - 1 AS cosine
ORDER BY cosine DESC, id LIMIT $limit
RETURN collect(id) AS ids, collect(cosine) AS cosines
