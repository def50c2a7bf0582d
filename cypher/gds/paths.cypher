// The cheapest paths in an in-memory graph by its property cost, from each source to each of its targets. A target that
// cannot be reached has no row.
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
