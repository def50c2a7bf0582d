// -- sources/keys
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

// -- sources/labels
// The labels of nodes in any database, but for those that only ours have.
// Parameters: none
// Rows: label STRING; ordered
CALL db.labels() YIELD label
WITH label WHERE label <> 'Overstory' AND NOT label STARTS WITH 'Corpus_'
CALL (label) {
  MATCH (n:$(label)) WHERE NOT n:Overstory
  RETURN n LIMIT 1
}
RETURN label ORDER BY label

// -- sources/nodes
// The nodes with a label in any database, but for ours and for those with a label that was read before.
// Parameters: $node STRING (the label); $before LIST<STRING> (labels); $key STRING (the property that is the key)
// Rows: key ANY or null; labels LIST<STRING>; properties MAP
MATCH (n:$($node))
WHERE NOT n:Overstory AND none(each IN $before WHERE each IN labels(n))
RETURN n[$key] AS key, labels(n) AS labels, properties(n) AS properties

// -- sources/relationships
// The relationships that start at nodes with a label and end at nodes with one of several, in any database, but for those
// at our nodes. A node with several of these labels counts as one of the first.
// Parameters: $node STRING (the label); $before, $nodes LIST<STRING> (the labels before it, and all); $key STRING (the
//   property that is the key); $keys MAP (that of each label); $types LIST<STRING> (of relationships; empty for all)
// Rows: start, end ANY or null (keys); target STRING (the label of the end); type STRING; properties MAP
MATCH (a:$($node))-[r]->(b)
WHERE NOT a:Overstory AND NOT b:Overstory AND none(each IN $before WHERE each IN labels(a))
  AND (size($types) = 0 OR type(r) IN $types)
WITH a, r, b, head([each IN $nodes WHERE each IN labels(b)]) AS target
WHERE target IS NOT NULL
RETURN a[$key] AS start, b[$keys[target]] AS end, target, type(r) AS type, properties(r) AS properties
