// The nodes of one kind nearest to a vector, by the index over them: asked for $depth, of which the best $limit are kept.
// Parameters: $index STRING; $vector LIST<FLOAT>; $depth, $limit INTEGER
// Rows: id STRING; score FLOAT (cosine, -1 to 1); best first
CALL db.index.vector.queryNodes($index, $depth, $vector) YIELD node AS n, score
WITH n, 2 * score - 1 AS score WHERE n:{{corpus}}
RETURN n.id AS id, score ORDER BY score DESC, id LIMIT $limit
