// Community: its passages, and the bridges to others
// Parameters: $community STRING (its id, or enough of its beginning)
// Rows: part, bridge PATH (bridge is null in most rows); a picture of at most 25 passages, those of the greatest
//   volume, and of the 15 strongest edges from its passages (the first 1,000 by volume) to those of other communities.
//   Needs overstory index --system serag
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.generation = corpus.generation_serag AND t.tree = 'serag' AND t.vector IS NOT NULL
  AND t.id STARTS WITH toLower($community) AND $community <> ''
WITH t ORDER BY t.id LIMIT 1
CALL (t) {
  MATCH (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(c)
  WITH leaf, c ORDER BY leaf.volume DESC, c.id LIMIT 1000
  RETURN collect({leaf: leaf, chunk: c}) AS members
}
CALL (t, members) {
  UNWIND members[..25] AS member
  WITH t, member.leaf AS leaf
  MATCH part = (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->()
  RETURN part, null AS bridge
  UNION ALL
  UNWIND members AS member
  WITH t, member.chunk AS c
  MATCH (c)-[l:LINKED]-(o:{{corpus}}_Chunk)
  WHERE NOT EXISTS { (o)<-[:COVERS]-()-[:CHILD_OF*1..10]->(t) }
  WITH t, c, l, o ORDER BY l.weight DESC, c.id, o.id LIMIT 15
  MATCH part = (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(c)
  MATCH bridge = (c)-[l]-(o)<-[:COVERS]-(there)-[:CHILD_OF]->()
  WHERE there.tree = 'serag' AND there.generation = t.generation
  RETURN part, bridge
}
RETURN part, bridge
