// The stored edges of the chunk graph.
// Parameters: none
// Rows: one, other STRING (ids of chunks); weight, semantic_weight FLOAT or null
MATCH (a:Overstory {corpus: $corpus})-[l:LINKED]->(b:Overstory:Chunk)
USING INDEX SEEK a:Overstory(corpus, id, token_count)
WHERE a.id > '' AND a.token_count IS NOT NULL
RETURN a.id AS one, b.id AS other, l.weight AS weight, l.semantic_weight AS semantic_weight
