// How many nodes of a kind are nearer to each of some vectors than the last that an index returned, and were not returned.
// Parameters: $property STRING (where vectors are); $compared INTEGER (nodes that are looked at);
//   $vectors LIST<LIST<FLOAT>>; $found LIST<LIST<STRING>> (ids that the index returned for each);
//   $last LIST<FLOAT> (cosine of the last of them)
// Rows: place INTEGER (of the vector); missed INTEGER; none for a vector of which nothing is missed
MATCH (n:{{label}})
WITH n LIMIT $compared
WITH n, n[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
UNWIND range(0, size($vectors) - 1) AS place
WITH n, place, 2 * vector.similarity.cosine(stored, $vectors[place]) - 1 AS cosine
WHERE cosine > $last[place] AND NOT n.id IN $found[place]
RETURN place, count(*) AS missed
