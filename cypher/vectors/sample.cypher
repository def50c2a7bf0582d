// Some nodes of a kind with vectors, those with the lowest ids, which are hashes: as good as drawn by lot.
// Parameters: $property STRING (where vectors are); $most INTEGER (nodes); $compared INTEGER (nodes that are drawn from)
// Rows: nodes INTEGER (all of the kind); vectors LIST<LIST<FLOAT>>; one
CALL () { MATCH (n:{{label}}) RETURN count(n) AS nodes }
CALL () {
  MATCH (n:{{label}})
  WITH n LIMIT $compared
  WITH n WHERE any(x IN n[$property] WHERE x < 0.0 OR x > 0.0)
  WITH n ORDER BY n.id LIMIT $most
  RETURN collect(n[$property]) AS vectors
}
RETURN nodes, vectors
