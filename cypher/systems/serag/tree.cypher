// A tree of one generation, every node.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id, parent STRING (null for the root); level, size INTEGER; volume, cut FLOAT; chunk STRING (of a leaf, else
//   null); vector BYTES (of a community, else null)
MATCH (t:{{corpus}}_TreeNode) WHERE t.tree = $tree AND t.generation = $generation
OPTIONAL MATCH (t)-[:CHILD_OF]->(above)
OPTIONAL MATCH (t)-[:COVERS]->(c)
RETURN t.id AS id, above.id AS parent, t.level AS level, t.size AS size, t.volume AS volume, t.cut AS cut, c.id AS chunk,
  t.vector AS vector
