// The properties that tell the nodes with a label in any database apart, but for ours: all have them, with values that
// differ. So many nodes are compared; lists are no keys.
// Parameters: $node STRING (the label); $most INTEGER (nodes)
// Rows: name STRING; ordered
MATCH (n:$($node)) WHERE NOT n:Overstory
WITH n LIMIT $most
WITH collect(n) AS nodes
UNWIND nodes AS n
UNWIND [name IN keys(n) WHERE NOT valueType(n[name]) STARTS WITH 'LIST'] AS name
WITH size(nodes) AS number, name, count(*) AS having, count(DISTINCT n[name]) AS different
WHERE having = number AND different = number
RETURN name ORDER BY name
