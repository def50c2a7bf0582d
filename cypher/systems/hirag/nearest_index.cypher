// The entities of all layers nearest to a vector, by the index over those of a generation, and the communities that they
// are in.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (of each: id, name, type, layer, cosine to the vector, id of its bottom community or ""; nearest
//   first); communities LIST<LIST> (of each community that has one of them: id, level, size,
//   rating or null, ids of the bottom communities in it, itself if it is one); near INTEGER (entities that the index
//   returned); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS e, score
  // since: MATCH (e) SEARCH e IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH e, score ORDER BY score DESC, e.id
  RETURN collect([e, 2 * score - 1]) AS nearest
}
CALL (nearest) {
  UNWIND nearest[..$limit] AS one
  WITH one[0] AS e, one[1] AS cosine
  OPTIONAL MATCH (e)<-[:COVERS]-(leaf:Overstory:HiragCommunity)-[:CHILD_OF]->(t:Overstory:HiragCommunity)
  WHERE leaf.tree = 'hirag'
  WITH e, cosine, t ORDER BY cosine DESC, e.id
  RETURN collect([e.id, e.name, e.type, e.layer, cosine, coalesce(t.id, '')]) AS found, collect(DISTINCT t) AS bottoms
}
CALL (bottoms) {
  UNWIND bottoms AS bottom
  MATCH (bottom:Overstory:HiragCommunity)-[:CHILD_OF*0..]->(t:Overstory:HiragCommunity)
  WITH t, collect(bottom.id) AS below
  OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:Overstory:HiragReport)
  RETURN collect([t.id, t.level, t.size, r.rating, below]) AS communities
}
RETURN found, communities, size(nearest) AS near
