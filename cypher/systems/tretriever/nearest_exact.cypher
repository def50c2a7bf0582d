// The nodes of the tree nearest to a vector, of all levels alike, by looking at all of them, and the vertices below each.
// Parameters: $vector LIST<FLOAT>; $limit INTEGER; $generation INTEGER; $leaves INTEGER (vertices below a node that are
//   looked at); $vertices INTEGER (of these, how many to return); $most INTEGER (passages of a summary)
// Rows: found LIST<LIST> (of each node of the tree, the nearest first: id, level, size, cosine to the vector, title and
//   summary or "" where it has none, ids of the passages that the summary stands on, vertices that were looked at, and
//   LIST<LIST> of the nearest of them: id, name, cosine, the nearest first); one
CALL () {
  MATCH (t:{{corpus}}_TretrieverNode) WHERE t.generation = $generation AND t.embedding IS NOT NULL
  WITH t, 2 * vector.similarity.cosine(t.embedding, $vector) - 1 AS cosine ORDER BY cosine DESC, t.id LIMIT $limit
  RETURN collect([t, cosine]) AS nearest
}
CALL (nearest) {
  UNWIND range(0, size(nearest) - 1) AS place
  WITH place, nearest[place][0] AS t, nearest[place][1] AS cosine
  CALL (t) {
    MATCH (t)<-[:CHILD_OF*0..]-(leaf:{{corpus}}_TretrieverNode)-[:COVERS]->(unit:{{corpus}})
    WITH leaf, unit LIMIT $leaves
    WITH unit, coalesce(2 * vector.similarity.cosine(leaf.embedding, $vector) - 1, -1.0) AS near ORDER BY near DESC, unit.id
    RETURN count(unit) AS seen, collect([unit.id, coalesce(nullIf(unit.title, ''), unit.name, unit.source_key, ''), near])[..$vertices] AS members
  }
  OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:{{corpus}}_TretrieverSummary)
  WITH place, [t.id, t.level, t.size, cosine, coalesce(r.title, ''), coalesce(r.summary, ''),
    COLLECT { MATCH (r)-[s:STANDS_ON]->(c:{{corpus}}_Chunk) RETURN c.id ORDER BY s.position LIMIT $most }, seen, members] AS one
  ORDER BY place
  RETURN collect(one) AS found
}
RETURN found
