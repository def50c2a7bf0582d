// Projects HiRAG's graph of all layers, undirected, as an in-memory graph: all entities of a generation, then the
// relations between them. Both come in order of ref, so that equal graphs are projected equally whatever their ids are.
// Parameters: $graph STRING (name of the projection); $generation INTEGER
// Rows: graph STRING, nodes INTEGER, relationships INTEGER; one, or none for a generation without entities
CALL () {
  MATCH (source:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
  RETURN source, null AS target, null AS data ORDER BY source.ref
  UNION ALL
  MATCH (source:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
    -[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]->(target:Overstory:HiragEntity)
  USING INDEX SEEK source:HiragEntity(corpus, generation)
  WHERE target.generation = $generation
  RETURN source, target, {relationshipType: 'LINK', relationshipProperties: {weight: r.weight, cost: r.cost}} AS data
  ORDER BY source.ref, target.ref, type(r)
}
WITH gds.graph.project($graph, source, target, data, {undirectedRelationshipTypes: ['LINK']}) AS g
RETURN g.graphName AS graph, g.nodeCount AS nodes, g.relationshipCount AS relationships
