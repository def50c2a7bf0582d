// Document or name: its way up the tree of T-Retriever
// Parameters: $document STRING (title, id or source of a document); $name STRING (as texts write it; upper and lower case
//   are one). Of the two that is shown which the tree has as a leaf, and the document if it has both
// Rows: way, summary PATH (from what a leaf stands for to the root; from a set on this way to its summary); a picture.
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
