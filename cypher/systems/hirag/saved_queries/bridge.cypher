// Community: its shortest bridge to another, name by name
// Parameters: $community STRING (its id, or enough of its beginning, in the tree hirag)
// Rows: bridge, step, in_one, in_other PATH (between the communities; the relationships on the way; from its ends to the
//   communities); a picture, null parts are empty. Needs overstory index --system hirag
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = 'hirag' AND t.generation = corpus.generation_hirag AND t.vector IS NOT NULL
  AND t.id STARTS WITH toLower($community) AND $community <> ''
WITH t ORDER BY t.id LIMIT 1
MATCH bridge = (t)-[b:BRIDGE]-(other:{{corpus}}_TreeNode)
WITH t, bridge, b, other ORDER BY b.hops, b.cost, other.id LIMIT 1
MATCH (e:{{corpus}}_HiragEntity) WHERE e.generation = t.generation AND e.ref IN b.refs
WITH t, bridge, b, other, collect(e) AS way
UNWIND range(0, size(b.refs) - 2) AS place
WITH t, bridge, b, other, [e IN way WHERE e.ref = b.refs[place]][0] AS one, [e IN way WHERE e.ref = b.refs[place + 1]][0] AS next
OPTIONAL MATCH step = (one)-[:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]-(next)
CALL (t, other, one, next) {
  OPTIONAL MATCH in_one = (t)<-[:CHILD_OF*1..10]-(:{{corpus}}_TreeNode)-[:COVERS]->(x) WHERE x IN [one, next]
  OPTIONAL MATCH in_other = (other)<-[:CHILD_OF*1..10]-(:{{corpus}}_TreeNode)-[:COVERS]->(y) WHERE y IN [one, next]
  RETURN in_one, in_other
}
RETURN bridge, step, in_one, in_other LIMIT 50
