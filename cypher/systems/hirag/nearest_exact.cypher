// The entities of all layers nearest to a vector, by looking at all of them, and the communities that they are in.
// Parameters: $vector LIST<FLOAT>; $limit INTEGER; $generation INTEGER
// Rows: found LIST<LIST> (of each: id, name, type, layer, cosine to the vector, id of its bottom community or ""; nearest
//   first); communities LIST<LIST> (of each community that has one of them: id of the bottom community, then its own id,
//   level, size, and rating or null: once for each bottom community below it); one
CALL () {
  MATCH (e:{{corpus}}_HiragEntity) WHERE e.generation = $generation AND e.embedding IS NOT NULL
  WITH e, 2 * vector.similarity.cosine(e.embedding, $vector) - 1 AS cosine ORDER BY cosine DESC, e.id LIMIT $limit
  RETURN collect([e, cosine]) AS nearest
}
CALL (nearest) {
  UNWIND nearest AS one
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
} AS communities
