// The nodes of the tree nearest to a vector, of all levels alike, by looking at all of them, and the vertices below each.
// Parameters: $vector LIST<FLOAT>; $limit INTEGER; $generation INTEGER; $sets BOOLEAN (false for leaves alone);
//   $neighbours BOOLEAN (whether a leaf brings the vertices that it has edges with); $leaves INTEGER (vertices of a node that
//   are looked at, and neighbours); $vertices INTEGER (of these, how many to return); $most INTEGER (passages of a summary)
// Rows: found LIST<LIST> (of each node of the tree, the nearest first: id, whether it is a set of several, level, size, of
//   a leaf with its neighbours, cosine to the vector, title and summary or "" where it has none, of a leaf its name, ids of the passages that the summary stands on, vertices that
//   were looked at, and LIST<LIST> of the nearest of them: id, name, cosine, the nearest first); one
CALL () {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'tretriever', generation: $generation})
  USING INDEX SEEK t:TreeNode(corpus, tree, generation)
  WHERE t.embedding IS NOT NULL AND ($sets OR t.size = 1)
  WITH t, 2 * vector.similarity.cosine(t.embedding, $vector) - 1 AS cosine ORDER BY cosine DESC, t.id LIMIT $limit
  RETURN collect([t, cosine]) AS nearest
}
CALL (nearest) {
  UNWIND range(0, size(nearest) - 1) AS place
  WITH place, nearest[place][0] AS t, nearest[place][1] AS cosine
  CALL (t) {
    CALL (t) {
      MATCH (t)<-[:CHILD_OF*0..]-(leaf:Overstory:TretrieverNode) WHERE leaf.size = 1
      RETURN leaf LIMIT $leaves
      UNION
      MATCH (t)-[:TRETRIEVER_EDGE]-(leaf:Overstory:TretrieverNode) WHERE $neighbours
      RETURN leaf LIMIT $leaves
      UNION
      MATCH (t)-[:COVERS]->(:Overstory:Document)-[:LINKS]-(:Overstory:Document)<-[:COVERS]-(leaf:Overstory:TretrieverNode)
      WHERE $neighbours AND leaf.generation = t.generation
      RETURN DISTINCT leaf LIMIT $leaves
    }
    MATCH (leaf)-[:COVERS]->(unit:Overstory)
    WITH unit, coalesce(2 * vector.similarity.cosine(leaf.embedding, $vector) - 1, -1.0) AS near
    ORDER BY near DESC, leaf = t DESC, unit.id
    RETURN count(unit) AS seen, collect([unit.id, coalesce(nullIf(unit.title, ''), unit.name, unit.source_key, ''), near])[..$vertices] AS members
  }
  OPTIONAL MATCH (t)-[:COVERS]->(vertex:Overstory)
  WITH place, t, cosine, seen, members, coalesce(nullIf(vertex.title, ''), vertex.name, vertex.source_key, '') AS own
  OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:Overstory:TretrieverSummary)
  WITH place, [t.id, t.size > 1, t.level, CASE t.size WHEN 1 THEN seen ELSE t.size END, cosine,
    CASE t.size WHEN 1 THEN own ELSE coalesce(r.title, '') END, coalesce(r.summary, ''),
    COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }, seen, members] AS one
  ORDER BY place
  RETURN collect(one) AS found
}
RETURN found
