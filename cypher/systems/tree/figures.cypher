// Some communities of a tree and all above them, with their figures.
// Parameters: $ids LIST<STRING>
// Rows: id, parent STRING (null for the root); level, size, children INTEGER; volume, cut FLOAT
UNWIND $ids AS id
MATCH (t:Overstory {id: id, corpus: $corpus})-[:CHILD_OF*0..]->(up:Overstory:TreeNode)
WITH DISTINCT up
OPTIONAL MATCH (up)-[:CHILD_OF]->(above:Overstory:TreeNode)
RETURN up.id AS id, above.id AS parent, up.level AS level, up.size AS size, COUNT { (up)<-[:CHILD_OF]-() } AS children,
  up.volume AS volume, up.cut AS cut
