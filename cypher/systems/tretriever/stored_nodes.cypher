// The digests of a generation's nodes, without the root.
// Parameters: $generation INTEGER
// Rows: id, source, edges STRING
MATCH (t:{{corpus}}_TretrieverNode) WHERE t.generation = $generation AND t.level > 0
RETURN t.id AS id, coalesce(t.source, '') AS source, coalesce(t.edges, '') AS edges
