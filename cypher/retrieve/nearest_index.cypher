// The chunks nearest to a vector, by the corpus' own index; in one row, which is read in half of the time.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $limit INTEGER
// Rows: ids LIST<STRING>; cosines LIST<FLOAT>; nearest first; one
CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS c, score
WITH c, 2 * score - 1 AS cosine WHERE c:{{corpus}}_Chunk
WITH c.id AS id, cosine ORDER BY cosine DESC, id LIMIT $limit
RETURN collect(id) AS ids, collect(cosine) AS cosines
