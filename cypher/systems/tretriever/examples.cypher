// Values for the parameters of the saved queries, where none were found before: a vertex of T-Retriever's tree, and the
// largest set that is right below the root.
// Parameters: $found MAP (values that were found before)
// Rows: document, name, community STRING (null where there is none, or where a value was found); one
OPTIONAL MATCH (corpus:Corpus:{{corpus}})
CALL (corpus) {
  MATCH (t:{{corpus}}_TretrieverNode)-[:CHILD_OF]->(root:{{corpus}}_TretrieverNode)
  WHERE t.generation = corpus.generation_tretriever AND root.level = 0 AND t.vector IS NOT NULL
  WITH t ORDER BY t.size DESC, t.id LIMIT 1
  MATCH (t)<-[:CHILD_OF*1..10]-(leaf:{{corpus}}_TretrieverNode)-[:COVERS]->(unit:{{corpus}})
  WITH t, unit ORDER BY leaf.volume DESC, unit.id LIMIT 1
  RETURN collect({community: left(t.id, 8), unit: unit})[0] AS largest
}
RETURN CASE WHEN coalesce($found.document, '') = '' THEN nullIf(largest.unit.title, '') END AS document,
  CASE WHEN coalesce($found.name, '') = '' THEN largest.unit.name END AS name,
  CASE WHEN coalesce($found.community, '') = '' THEN largest.community END AS community
