// -- systems/hirag/saved_queries/bridge
// Community: its shortest bridge, entity by entity
// Parameters: $community STRING (its id, or the beginning of its id, in the tree hirag)
// Rows: bridge, step, at_start, at_end PATH (between the communities; a relationship on the way; from each community to
//   its end of the way, null if deleted); a picture. Needs overstory index --system hirag
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

// -- systems/hirag/saved_queries/entity
// Entity: its description and summaries in HiRAG
// Parameters: $name STRING (as texts write it, in any case)
// Rows: path PATH; a picture of its description with the passages, its 12 strongest relations, and the summaries above
//   it. Needs overstory index --system hirag
MATCH (corpus:Corpus:{{corpus}})
MATCH (e:{{corpus}}_HiragEntity)
WHERE e.generation = corpus.generation_hirag AND toLower($name) IN [toLower(e.name), e.key]
WITH e ORDER BY e.layer LIMIT 1
CALL (e) {
  MATCH path = (e)-[:HAS_DESCRIPTION]->(:{{corpus}}_HiragDescription)-[:STANDS_ON]->(:{{corpus}}_Chunk)
  RETURN path LIMIT 8
  UNION ALL
  MATCH path = (e)-[r:HIRAG_RELATED]-(o:{{corpus}}_HiragEntity)
  RETURN path ORDER BY r.weight DESC, o.ref LIMIT 12
  UNION ALL
  MATCH path = (e)-[:SUMMARIZED_BY*1..8]->(:{{corpus}}_HiragEntity)
  RETURN path ORDER BY length(path) LIMIT 8
}
RETURN path

// -- systems/hirag/saved_queries/layer
// Layer: its summaries and their members
// Parameters: $layer STRING (number of the layer; 1 is the lowest)
// Rows: summarised, above PATH (from an entity of the layer below to its summary; from there to the strongest summary
//   above, or null); a picture of the 6 summaries with most members, each with its 8 most strongly connected members.
//   Needs overstory index --system hirag
MATCH (corpus:Corpus:{{corpus}})
MATCH (x:{{corpus}}_HiragEntity)
WHERE x.generation = corpus.generation_hirag AND x.layer = toInteger($layer) AND x.layer > 0
WITH x ORDER BY COUNT { (x)<-[:SUMMARIZED_BY]-() } DESC, x.ref LIMIT 6
CALL (x) {
  MATCH summarised = (m:{{corpus}}_HiragEntity)-[s:SUMMARIZED_BY]->(x)
  RETURN summarised ORDER BY s.weight DESC, m.ref LIMIT 8
}
CALL (x) {
  OPTIONAL MATCH above = (x)-[s:SUMMARIZED_BY]->(up:{{corpus}}_HiragEntity)
  RETURN above ORDER BY s.weight DESC, up.ref LIMIT 1
}
RETURN summarised, above
