// The leaves of some units in a tree.
// Parameters: $ids LIST<STRING> (units); $tree STRING; $generation INTEGER; $properties LIST<STRING> (names of further
//   properties)
// Rows: unit, id STRING; community STRING (id of the node right above); volume FLOAT; properties LIST (their values); none
//   for a unit without a leaf
UNWIND $ids AS unit
MATCH (:Overstory {id: unit, corpus: $corpus})<-[:COVERS]-(leaf:Overstory:TreeNode)-[:CHILD_OF]->(above:Overstory:TreeNode)
WHERE leaf.tree = $tree AND leaf.generation = $generation
RETURN unit, leaf.id AS id, above.id AS community, leaf.volume AS volume,
  [name IN $properties | leaf[name]] AS properties
