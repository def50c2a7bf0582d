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
