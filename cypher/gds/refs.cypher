// The refs of nodes of an in-memory graph.
// Parameters: $nodes LIST<INTEGER>
// Rows: ref STRING; in the order of $nodes
UNWIND $nodes AS node
RETURN gds.util.asNode(node).ref AS ref
