// The edges of some chunks that stay inside the chunk's community of the finest level.
// Parameters: $ids LIST<STRING>; $tree, $weight STRING (a property of the edges); $generation, $most INTEGER
// Rows: id STRING; strongest FLOAT (of all edges of the chunk); inside LIST<LIST> (id of the other end, weight), the
//   strongest first
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})<-[:COVERS]-(leaf:Overstory:TreeNode)-[:CHILD_OF]->(community:Overstory:TreeNode)
WHERE leaf.tree = $tree AND leaf.generation = $generation
CALL (community) {
  MATCH (community)<-[:CHILD_OF]-(:Overstory:TreeNode)-[:COVERS]->(member:Overstory:Chunk)
  RETURN collect(member) AS members
}
MATCH (c)-[l:LINKED]-(other:Overstory:Chunk)
WITH id, members, other, l[$weight] AS weight WHERE weight IS NOT NULL
WITH id, members, other, weight ORDER BY weight DESC, other.id
WITH id, max(weight) AS strongest, collect(CASE WHEN weight > 0 AND other IN members THEN [other.id, weight] END) AS inside
RETURN id, strongest, inside[..$most] AS inside
