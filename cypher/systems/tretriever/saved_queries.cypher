// -- systems/tretriever/saved_queries/sets
// Tree of T-Retriever: the largest sets of each level
// Parameters: none
// Rows: level, size INTEGER (level from 1, the coarsest; number of vertices); title, summary STRING (null if deleted
//   with a passage); inside FLOAT (share of the weight of its edges that stays inside); id STRING; up to 15 per level,
//   largest first. Needs overstory index --system tretriever
MATCH (corpus:Corpus:{{corpus}})
UNWIND range(1, 8) AS level
CALL (corpus, level) {
  MATCH (t:{{corpus}}_TretrieverNode)
  WHERE t.generation = corpus.generation_tretriever AND t.level = level AND t.vector IS NOT NULL
  RETURN t ORDER BY t.size DESC, t.id LIMIT 15
}
OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:{{corpus}}_TretrieverSummary)
RETURN level, t.size AS size, r.title AS title, r.summary AS summary,
  CASE WHEN t.volume > 0 THEN round(1 - t.cut / t.volume, 4) END AS inside, t.id AS id
ORDER BY level, size DESC, id

// -- systems/tretriever/saved_queries/subgraph
// Set: its vertices, and the edges between them
// Parameters: $community STRING (id of a set in the tree tretriever, or its beginning; otherwise a set of 5 to 25
//   vertices is shown)
// Rows: part, edge PATH (from the set to the node of a leaf, or to its summary; edge is null in these rows); a picture
//   of up to 40 vertices of the greatest volume, and of the 60 strongest edges between them. Needs overstory index
//   --system tretriever
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

// -- systems/tretriever/saved_queries/way
// Document or entity: its path up the tree of T-Retriever
// Parameters: $document STRING (title, id or source of a document); $name STRING (as texts write it, in any case). The
//   one that is a leaf of the tree is shown; if both are, the document
// Rows: way, summary PATH (from the node of a leaf to the root; from a set on this path to its summary); a picture.
//   Needs overstory index --system tretriever
MATCH (corpus:Corpus:{{corpus}})
CALL () {
  MATCH (unit:{{corpus}}_Document) WHERE $document IN [unit.title, unit.id, unit.source]
  RETURN unit, 0 AS kind
  UNION ALL
  MATCH (unit:Entity:{{corpus}}) WHERE toLower($name) IN [toLower(unit.name), unit.key]
  RETURN unit, 1 AS kind
}
MATCH (unit)<-[:COVERS]-(leaf:{{corpus}}_TretrieverNode) WHERE leaf.generation = corpus.generation_tretriever
WITH unit, leaf ORDER BY kind, unit.id LIMIT 1
MATCH way = (unit)<-[:COVERS]-(leaf)-[:CHILD_OF*1..10]->(root:{{corpus}}_TretrieverNode) WHERE root.level = 0
UNWIND nodes(way)[2..] AS t
OPTIONAL MATCH summary = (t)-[:HAS_REPORT]->(:{{corpus}}_TretrieverSummary)
RETURN way, summary
