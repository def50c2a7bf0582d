// Community: its shortest bridge to another, name by name
// Parameters: $community STRING (its id, or enough of its beginning, in the tree hirag)
// Rows: bridge, step, at_start, at_end PATH (between the communities; a relationship on the way; from each community to the
//   entity where the way begins or ends, null where it was deleted); a picture. Needs overstory index --system hirag
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = 'hirag' AND t.generation = corpus.generation_hirag AND t.vector IS NOT NULL
  AND t.id STARTS WITH toLower($community) AND $community <> ''
WITH t ORDER BY t.id LIMIT 1
MATCH bridge = (t)-[b:BRIDGE]-(other:{{corpus}}_TreeNode)
WITH t, bridge, b ORDER BY b.hops, b.cost, other.id LIMIT 1
MATCH (e:{{corpus}}_HiragEntity) WHERE e.generation = t.generation AND e.ref IN b.refs
WITH bridge, b, startNode(b) AS start, endNode(b) AS end, collect(e) AS way
CALL (b, start, end, way) {
  WITH b, start, end, [e IN way WHERE e.ref = head(b.refs)][0] AS first, [e IN way WHERE e.ref = last(b.refs)][0] AS last
  OPTIONAL MATCH at_start = (start)<-[:CHILD_OF*1..10]-(:{{corpus}}_TreeNode)-[:COVERS]->(first)
  OPTIONAL MATCH at_end = (end)<-[:CHILD_OF*1..10]-(:{{corpus}}_TreeNode)-[:COVERS]->(last)
  RETURN at_start, at_end LIMIT 1
}
UNWIND range(0, size(b.refs) - 2) AS place
WITH bridge, at_start, at_end, [e IN way WHERE e.ref = b.refs[place]][0] AS one, [e IN way WHERE e.ref = b.refs[place + 1]][0] AS next
OPTIONAL MATCH step = (one)-[r]-(next) WHERE type(r) IN ['HIRAG_RELATED', 'SUMMARIZED_BY', 'SAME_AS']
RETURN bridge, step, at_start, at_end LIMIT 25
