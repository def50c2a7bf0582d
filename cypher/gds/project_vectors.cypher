// Projects a corpus' chunks with their vectors, without relationships, as an in-memory graph.
// Parameters: $graph STRING (name of the projection); $property STRING (where the vectors are)
// Rows: nodes INTEGER; one
MATCH (c:{{corpus}}_Chunk)-[:HAS_VECTOR]->(v:{{corpus}}_PassageVector) WHERE v[$property] IS NOT NULL
WITH gds.graph.project($graph, c, null, {sourceNodeProperties: {vector: v[$property]}, targetNodeProperties: null}) AS g
RETURN g.nodeCount AS nodes
