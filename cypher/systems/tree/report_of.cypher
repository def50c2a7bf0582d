// The report on a community, and the communities around it with what their reports are called.
// Parameters: $id STRING (of the community); $below INTEGER (how many below it)
// Rows: community MAP (id, level, size); report MAP (its properties, null where it has none); passages INTEGER (that the
//   report stands on); above, below LIST<MAP {id, level, size, title, summary, by, rating}> (the
//   communities that it is in, the largest first, without the root; right below it, those of the highest rating first);
//   communities INTEGER (right below it); one, or none
MATCH (t:Overstory {id: $id}) WHERE t:TreeNode AND t.corpus = $corpus
OPTIONAL MATCH (t)-[:HAS_REPORT]->(report:Overstory:CommunityReport)
RETURN t {.id, .level, .size} AS community, properties(report) AS report,
  COUNT { (report)-[:STANDS_ON]->(:Overstory:Chunk) } AS passages,
  COLLECT {
    MATCH way = (t)-[:CHILD_OF*1..]->(up:Overstory:TreeNode) WHERE up.level > 0
    OPTIONAL MATCH (up)-[:HAS_REPORT]->(r:Overstory:CommunityReport)
    RETURN up {.id, .level, .size, title: r.title, summary: r.summary, by: r.by, rating: r.rating}
    ORDER BY length(way) DESC
  } AS above,
  COLLECT {
    MATCH (down:Overstory:TreeNode)-[:CHILD_OF]->(t) WHERE down.vector IS NOT NULL
    OPTIONAL MATCH (down)-[:HAS_REPORT]->(r:Overstory:CommunityReport)
    RETURN down {.id, .level, .size, title: r.title, summary: r.summary, by: r.by, rating: r.rating}
    ORDER BY coalesce(r.rating, -1) DESC, down.size DESC, down.id LIMIT $below
  } AS below,
  COUNT { (down:Overstory:TreeNode)-[:CHILD_OF]->(t) WHERE down.vector IS NOT NULL } AS communities
