// How many vectors another embedder has yet to make, and for how many chunks.
// Parameters: $property STRING (where they go)
// Rows: vectors, chunks INTEGER; one
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
WHERE v[$property] IS NULL
RETURN count(v) AS vectors, sum(COUNT { (v)<-[:HAS_VECTOR]-() }) AS chunks
