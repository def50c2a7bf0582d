// The refs of nodes of an in-memory graph.
// Parameters: $nodes LIST<INTEGER>
// Rows: node INTEGER, ref STRING; in the order of $nodes
UNWIND $nodes AS node
RETURN node, gds.util.asNode(node).ref AS ref
