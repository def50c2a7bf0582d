// The entities of all layers nearest to a vector, by looking at all of them, and the communities that they are in.
// Parameters: $vector LIST<FLOAT>; $limit INTEGER; $generation INTEGER
// Rows: found LIST<LIST> (of each: id, name, type, layer, cosine to the vector, id of its bottom community or ""; nearest
//   first); communities LIST<LIST> (of each community that has one of them: id, level, size,
//   rating or null, ids of the bottom communities in it, itself if it is one); one
CALL () {
  MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
  USING INDEX SEEK e:HiragEntity(corpus, generation)
  WHERE e.embedding IS NOT NULL
  WITH e, 2 * vector.similarity.cosine(e.embedding, $vector) - 1 AS cosine ORDER BY cosine DESC, e.id LIMIT $limit
  RETURN collect([e, cosine]) AS nearest
}
CALL (nearest) {
  UNWIND nearest AS one
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
RETURN found, communities
