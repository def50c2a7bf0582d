// Removes an embedder's vectors; commits as it goes.
// Parameters: $property STRING (where they are)
// Rows: none
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
WHERE v[$property] IS NOT NULL
CALL (v) { REMOVE v[$property] } IN TRANSACTIONS OF 5000 ROWS
