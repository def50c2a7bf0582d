// A tree of one generation, every node.
// Parameters: $tree STRING; $generation INTEGER; $properties LIST<STRING> (names of further properties)
// Rows: id, parent STRING (null for the root); level, size INTEGER; volume, cut FLOAT; unit STRING (what a leaf stands
//   for, else null); vector BYTES (of a community, else null); properties LIST (their values)
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
OPTIONAL MATCH (t)-[:CHILD_OF]->(above:Overstory:TreeNode)
OPTIONAL MATCH (t)-[:COVERS]->(unit:Overstory)
RETURN t.id AS id, above.id AS parent, t.level AS level, t.size AS size, t.volume AS volume, t.cut AS cut,
  unit.id AS unit, t.vector AS vector, [name IN $properties | t[name]] AS properties
