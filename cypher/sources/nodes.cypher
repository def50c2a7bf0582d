// The nodes with a label in any database, but for ours and for those with a label that was read before.
// Parameters: $node STRING (the label); $before LIST<STRING> (labels); $key STRING (the property that is the key)
// Rows: key ANY or null; labels LIST<STRING>; properties MAP
MATCH (n:$($node))
WHERE NOT n:Overstory AND none(each IN $before WHERE each IN labels(n))
RETURN n[$key] AS key, labels(n) AS labels, properties(n) AS properties
