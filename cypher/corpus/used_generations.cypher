// The generations of a derived structure that have nodes in the graph.
// Parameters: $name STRING
// Rows: generation INTEGER; ordered
MATCH (n:{{corpus}}_Derived) WHERE n.derived = $name
RETURN DISTINCT n.generation AS generation ORDER BY generation
