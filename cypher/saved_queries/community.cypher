// Community: what is in it, and the bridges to others
// Parameters: $tree STRING (the name of a tree); $community STRING (its id, or enough of its beginning)
// Rows: part, bridge PATH (bridge is null in most rows); a picture of at most 25 leaves, those of the greatest volume,
//   with what they stand for, and of the 15 strongest relationships with a weight from there (the first 1,000 by volume)
//   to what is in other communities. Needs the index of a system that has trees
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = $tree AND t.generation = corpus['generation_' + t.derived] AND t.vector IS NOT NULL
  AND t.id STARTS WITH toLower($community) AND $community <> ''
WITH t ORDER BY t.id LIMIT 1
CALL (t) {
  MATCH (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(unit:{{corpus}})
  WITH leaf, unit ORDER BY leaf.volume DESC, unit.id LIMIT 1000
  RETURN collect({leaf: leaf, unit: unit}) AS members
}
CALL (t, members) {
  UNWIND members[..25] AS member
  WITH t, member.leaf AS leaf
  MATCH part = (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(:{{corpus}})
  RETURN part, null AS bridge
  UNION ALL
  UNWIND members AS member
  WITH t, member.unit AS unit
  MATCH (unit)-[l]-(o:{{corpus}})<-[:COVERS]-(there:{{corpus}}_TreeNode)
  WHERE l.weight IS NOT NULL AND there.tree = t.tree AND there.generation = t.generation
    AND NOT EXISTS { (there)-[:CHILD_OF*1..10]->(t) }
  WITH t, unit, l, there, o ORDER BY l.weight DESC, unit.id, o.id LIMIT 15
  MATCH part = (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(unit)
  MATCH bridge = (unit)-[l]-(o)<-[:COVERS]-(there)-[:CHILD_OF]->(:{{corpus}}_TreeNode)
  RETURN part, bridge
}
RETURN part, bridge
