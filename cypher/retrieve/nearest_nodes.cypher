// The nodes of one kind nearest to a vector, by the index over them: asked for $depth, of which the best $limit are kept.
// Parameters: $index STRING; $vector LIST<FLOAT>; $depth, $limit INTEGER
// Rows: id STRING; score FLOAT (cosine, -1 to 1); best first
// Since: Neo4j 2026.04 (SEARCH)
CALL db.index.vector.queryNodes($index, $depth, $vector) YIELD node AS n, score
// since: MATCH (n) SEARCH n IN (VECTOR INDEX {{$index}} FOR $vector LIMIT $depth) SCORE AS score
WITH n, 2 * score - 1 AS score WHERE n.corpus = $corpus
RETURN n.id AS id, score ORDER BY score DESC, id LIMIT $limit
