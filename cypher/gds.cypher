// -- gds/version
// Read the version of the Graph Data Science plugin.
// Parameters: none
// Rows: version STRING; one row
RETURN gds.version() AS version

// -- gds/drop
// Drop an in-memory graph, if it exists.
// Parameters: $graph STRING
// Rows: graph STRING; one row, or none
CALL gds.graph.drop($graph, false) YIELD graphName RETURN graphName AS graph

// -- gds/heap
// Read the size of the server's heap.
// Parameters: none
// Rows: used INTEGER, most INTEGER (bytes); one row
CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes
WITH attributes.HeapMemoryUsage.value.properties AS heap
RETURN heap.used AS used, heap.max AS most

// -- gds/list
// List the in-memory graphs of this database whose names have a prefix.
// Parameters: $prefix STRING
// Rows: graph STRING; ordered
CALL db.info() YIELD name AS here
CALL gds.graph.list() YIELD graphName, database
WITH graphName WHERE database = here AND graphName STARTS WITH $prefix
RETURN graphName AS graph ORDER BY graph

// -- gds/project_corpus
// Project the relationships of some types in the corpus, undirected, as an in-memory graph.
// Parameters: $graph STRING (name of the projection); $types LIST<STRING>; $weight STRING (a property; 1.0 if missing)
// Rows: graph STRING, nodes INTEGER, relationships INTEGER; one row
MATCH (source:{{corpus}})-[r]->(target:{{corpus}}) WHERE type(r) IN $types
WITH gds.graph.project($graph, source, target,
  {relationshipType: 'LINK', relationshipProperties: {weight: coalesce(toFloat(r[$weight]), 1.0)}},
  {undirectedRelationshipTypes: ['LINK']}) AS g
RETURN g.graphName AS graph, g.nodeCount AS nodes, g.relationshipCount AS relationships

// -- gds/paths
// Find the cheapest path (property cost) in an in-memory graph from each source to each of its targets. An unreachable
// target has no row.
// Parameters: $graph STRING; $rows LIST<{source: INTEGER, targets: LIST<INTEGER>}> (nodes)
// Rows: source INTEGER, target INTEGER, cost FLOAT, refs LIST<STRING> (both ends included)
UNWIND $rows AS row
CALL (row) {
  CALL gds.shortestPath.dijkstra.stream($graph, {sourceNode: row.source, targetNodes: row.targets,
    relationshipWeightProperty: 'cost', concurrency: 1, logProgress: false})
  YIELD targetNode, totalCost, nodeIds
  RETURN targetNode, totalCost, nodeIds
}
RETURN row.source AS source, targetNode AS target, totalCost AS cost,
  [node IN nodeIds | gds.util.asNode(node).ref] AS refs

// -- gds/project_layers
// Project HiRAG's graph of all layers, undirected, as an in-memory graph: the entities of a generation and their
// relations. Both are ordered by ref, so that equal graphs give equal projections.
// Parameters: $graph STRING (name of the projection); $generation INTEGER
// Rows: graph STRING, nodes INTEGER, relationships INTEGER; one row, or none for a generation without entities
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

// -- gds/refs
// Read the refs of nodes of an in-memory graph.
// Parameters: $nodes LIST<INTEGER>
// Rows: ref STRING; in the order of $nodes
UNWIND $nodes AS node
RETURN gds.util.asNode(node).ref AS ref

// -- gds/project_vectors
// Project the chunks of the corpus with their vectors, without relationships, as an in-memory graph.
// Parameters: $graph STRING (name of the projection); $property STRING (of the vectors)
// Rows: nodes INTEGER; one row
MATCH (c:Overstory {corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL AND v[$property] IS NOT NULL
WITH gds.graph.project($graph, c, null, {sourceNodeProperties: {vector: v[$property]}, targetNodeProperties: null}) AS g
RETURN g.nodeCount AS nodes

// -- gds/write_similar
// Find the nearest neighbours of all nodes of an in-memory graph of vectors (approximately), and write them as SIMILAR
// with the score (1 + cosine) / 2.
// Parameters: $graph STRING; $nearest INTEGER
// Rows: written INTEGER (relationships); one row
CALL gds.knn.write($graph, {nodeProperties: ['vector'], topK: $nearest, writeRelationshipType: 'SIMILAR',
  writeProperty: 'score', sampleRate: 1.0, deltaThreshold: 0.0001, concurrency: 4})
YIELD relationshipsWritten
RETURN relationshipsWritten AS written
