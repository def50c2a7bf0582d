// Drops an in-memory graph, if it is there.
// Parameters: $graph STRING
// Rows: graph STRING; one, or none
CALL gds.graph.drop($graph, false) YIELD graphName RETURN graphName AS graph
