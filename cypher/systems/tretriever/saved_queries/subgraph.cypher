// Set: its vertices, and the edges between them
// Parameters: $community STRING (the id of a set in the tree tretriever, or enough of its beginning; where none begins so,
//   a set of 5 to 25 vertices is shown)
// Rows: part, edge PATH (from the set to what a leaf stands for, or to its summary; edge is null in these rows); a picture
//   of at most 40 vertices, those of the greatest volume, and of the 60 strongest edges between them, as a search finds
//   them. Needs overstory index --system tretriever
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TretrieverNode)
WHERE t.generation = corpus.generation_tretriever AND t.vector IS NOT NULL AND t.level > 0
WITH t, $community <> '' AND t.id STARTS WITH toLower($community) AS asked
ORDER BY asked DESC, 5 <= t.size <= 25 DESC, t.size DESC, t.id LIMIT 1
CALL (t) {
  MATCH (t)<-[:CHILD_OF*1..10]-(leaf:{{corpus}}_TretrieverNode)-[:COVERS]->(unit:{{corpus}})
  WITH leaf, unit ORDER BY leaf.volume DESC, unit.id LIMIT 40
  RETURN collect(leaf) AS leaves, collect(unit) AS units
}
CALL (t, leaves, units) {
  OPTIONAL MATCH part = (t)-[:HAS_REPORT]->(:{{corpus}}_TretrieverSummary)
  RETURN part, null AS edge
  UNION ALL
  UNWIND leaves AS leaf
  MATCH part = (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(:{{corpus}})
  RETURN part, null AS edge
  UNION ALL
  UNWIND units AS unit
  MATCH edge = (unit)-[l:LINKS]->(other:{{corpus}}_Document) WHERE other IN units
  WITH edge, l.weight AS weight, unit, other ORDER BY weight DESC, unit.id, other.id LIMIT 60
  RETURN null AS part, edge
  UNION ALL
  UNWIND leaves AS leaf
  MATCH edge = (leaf)-[e:TRETRIEVER_EDGE]->(other:{{corpus}}_TretrieverNode) WHERE other IN leaves
  WITH edge, e.weight AS weight, leaf, other ORDER BY weight DESC, leaf.id, other.id LIMIT 60
  RETURN null AS part, edge
}
RETURN part, edge
