// The leaves of a tree whose units were deleted, and what these were tied to.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id, unit, community STRING (ids of leaf, unit and community); layer INTEGER (of the unit); volume FLOAT;
//   ends, ties LIST<STRING>, weights LIST<FLOAT> (of each relationship: the id of the other end; "<" or ">", as it led to
//   the unit or from it, and its type; its weight)
MATCH (leaf:{{corpus}}_Uncovered)-[:CHILD_OF]->(above:{{corpus}}_TreeNode)
WHERE leaf.tree = $tree AND leaf.generation = $generation
RETURN leaf.id AS id, leaf.unit AS unit, leaf.layer AS layer, above.id AS community, leaf.volume AS volume,
  leaf.ends AS ends, leaf.ties AS ties, leaf.weights AS weights
