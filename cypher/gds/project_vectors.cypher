// Projects a corpus' chunks with their vectors, without relationships, as an in-memory graph.
// Parameters: $graph STRING (name of the projection); $property STRING (where the vectors are)
// Rows: nodes INTEGER; one
MATCH (c:Overstory {corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL AND v[$property] IS NOT NULL
WITH gds.graph.project($graph, c, null, {sourceNodeProperties: {vector: v[$property]}, targetNodeProperties: null}) AS g
RETURN g.nodeCount AS nodes
