// The entities of all layers nearest to a vector, by the index over those of a generation, and the communities that they
// are in.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (of each: id, name, type, layer, cosine to the vector, id of its bottom community or ""; nearest
//   first); communities LIST<LIST> (of each community that has one of them: id of the bottom community, then its own id,
//   level, size, and rating or null: once for each bottom community below it); near INTEGER (entities that the index
//   returned); vectors INTEGER (entities of the corpus, while a build goes on those of two generations); one
CALL () { MATCH (e:{{corpus}}_HiragEntity) RETURN count(e) AS vectors }
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS e, score
  WITH e, score ORDER BY score DESC, e.id
  RETURN collect([e, 2 * score - 1]) AS nearest
}
CALL (nearest) {
  UNWIND nearest[..$limit] AS one
  WITH one[0] AS e, one[1] AS cosine
  WITH e, cosine, COLLECT {
    MATCH (e)<-[:COVERS]-(leaf:{{corpus}}_HiragCommunity)-[:CHILD_OF]->(t) WHERE leaf.tree = 'hirag' RETURN t.id
  }[0] AS bottom
  RETURN collect([e.id, e.name, e.type, e.layer, cosine, coalesce(bottom, '')]) AS found, collect(DISTINCT bottom) AS bottoms
}
RETURN found, COLLECT {
  UNWIND bottoms AS bottom
  MATCH (:Overstory {id: bottom})-[:CHILD_OF*0..]->(t:{{corpus}}_HiragCommunity)
  RETURN [bottom, t.id, t.level, t.size, COLLECT { MATCH (t)-[:HAS_REPORT]->(r) RETURN r.rating }[0]]
} AS communities, size(nearest) AS near, vectors
