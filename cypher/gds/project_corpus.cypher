// Projects a corpus' relationships of some types, undirected, as an in-memory graph.
// Parameters: $graph STRING (name of the projection); $types LIST<STRING>; $weight STRING (a property, 1.0 where it is missing)
// Rows: graph STRING, nodes INTEGER, relationships INTEGER; one
MATCH (source:{{corpus}})-[r]->(target:{{corpus}}) WHERE type(r) IN $types
WITH gds.graph.project($graph, source, target,
  {relationshipType: 'LINK', relationshipProperties: {weight: coalesce(toFloat(r[$weight]), 1.0)}},
  {undirectedRelationshipTypes: ['LINK']}) AS g
RETURN g.graphName AS graph, g.nodeCount AS nodes, g.relationshipCount AS relationships
