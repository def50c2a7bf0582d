// The nodes of the tree nearest to a vector, of all levels alike, by the index over those of a generation, and the vertices
// below each.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $limit INTEGER; $sets BOOLEAN
//   (false for leaves alone); $neighbours BOOLEAN (whether a leaf brings the vertices that it has edges with); $leaves
//   INTEGER (vertices of a node that are looked at, and neighbours); $vertices INTEGER (of these, how many to return);
//   $most INTEGER (passages of a summary)
// Rows: found LIST<LIST> (of each node of the tree, the nearest first: id, whether it is a set of several, level, size, of
//   a leaf with its neighbours, cosine to the vector, title and summary or "" where it has none, of a leaf its name, ids of the passages that the summary stands on, vertices that
//   were looked at, and LIST<LIST> of the nearest of them: id, name, cosine, the nearest first); near INTEGER (nodes that
//   the index returned); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS t, score
  // since: MATCH (t) SEARCH t IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH t, score ORDER BY score DESC, t.id
  WITH collect([t, 2 * score - 1]) AS returned
  RETURN [each IN returned WHERE $sets OR each[0].size = 1][..$limit] AS nearest, size(returned) AS near
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
    WITH unit, coalesce(2 * vector.similarity.cosine(leaf.embedding, $vector) - 1, -1.0) AS likeness
    ORDER BY likeness DESC, leaf = t DESC, unit.id
    RETURN count(unit) AS seen, collect([unit.id, coalesce(nullIf(unit.title, ''), unit.name, unit.source_key, ''), likeness])[..$vertices] AS members
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
RETURN found, near
