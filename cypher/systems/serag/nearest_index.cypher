// The chunks nearest to a vector, by the corpus' own index; in one row, which is read in half of the time.
// Parameters: $index STRING; $vector LIST<FLOAT>; $depth INTEGER
// Rows: ids LIST<STRING>; cosines LIST<FLOAT>; one
CALL db.index.vector.queryNodes($index, $depth, $vector) YIELD node AS c, score
RETURN collect(c.id) AS ids, collect(2 * score - 1) AS cosines
