// -- sources/keys
// Find properties that could be keys of the nodes with a label in the user's graph: all compared nodes have them, with
// distinct values. Lists are no keys.
// Parameters: $node STRING (label); $most INTEGER (nodes to compare)
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
// List the labels of the user's graph in the database, without Overstory's.
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
// Read the nodes with a label in the user's graph, without nodes that have an earlier label.
// Parameters: $node STRING (label); $before LIST<STRING> (labels already read); $key STRING (key property)
// Rows: key ANY or null; labels LIST<STRING>; properties MAP
MATCH (n:$($node))
WHERE NOT n:Overstory AND none(each IN $before WHERE each IN labels(n))
RETURN n[$key] AS key, labels(n) AS labels, properties(n) AS properties

// -- sources/relationships
// Read the relationships from nodes with a label to nodes with one of several labels, in the user's graph. A node with
// several of these labels counts for the first.
// Parameters: $node STRING (label); $before, $nodes LIST<STRING> (earlier labels; all labels); $key STRING (key
//   property); $keys MAP (key property of each label); $types LIST<STRING> (of relationships; empty for all)
// Rows: start, end ANY or null (keys); target STRING (label of the end); type STRING; properties MAP
MATCH (a:$($node))-[r]->(b)
WHERE NOT a:Overstory AND NOT b:Overstory AND none(each IN $before WHERE each IN labels(a))
  AND (size($types) = 0 OR type(r) IN $types)
WITH a, r, b, head([each IN $nodes WHERE each IN labels(b)]) AS target
WHERE target IS NOT NULL
RETURN a[$key] AS start, b[$keys[target]] AS end, target, type(r) AS type, properties(r) AS properties
