// -- retrieve/nearest_nodes
// The nodes of one kind nearest to a vector, by the index over them: asked for $depth, of which the best $limit are kept.
// Parameters: $index STRING; $vector LIST<FLOAT>; $depth, $limit INTEGER
// Rows: id STRING; score FLOAT (cosine, -1 to 1); best first
// Since: Neo4j 2026.04 (SEARCH)
CALL db.index.vector.queryNodes($index, $depth, $vector) YIELD node AS n, score
// since: MATCH (n) SEARCH n IN (VECTOR INDEX {{$index}} FOR $vector LIMIT $depth) SCORE AS score
WITH n, 2 * score - 1 AS score WHERE n.corpus = $corpus
RETURN n.id AS id, score ORDER BY score DESC, id LIMIT $limit

// -- retrieve/section_vectors
// The vectors of the sections that some chunks are in, where they have one.
// Parameters: $ids LIST<STRING> (chunks); $property STRING (where the vectors are)
// Rows: sections LIST<LIST<LIST>> (of each section its chunks: an id, a vector, how many tokens were embedded); one
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
OPTIONAL MATCH (first:Overstory {id: c.section})
WITH DISTINCT coalesce(first.section_chunks, [id]) AS chunks // the first is gone while a large document is replaced
WITH chunks, COLLECT {
  UNWIND chunks AS chunk
  MATCH (c:Overstory {id: chunk})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  WITH c, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
  RETURN [c.id, vector, c.token_count]
} AS members
RETURN collect(members) AS sections

// -- retrieve/cosines
// How near some chunks are to some vectors.
// Parameters: $ids LIST<STRING>; $property STRING (where the vectors are); $vectors LIST<LIST<FLOAT>> (none of zeros)
// Rows: ids LIST<STRING> (of those with a vector); cosines LIST<LIST<FLOAT>> (of each, in the order of $vectors); one
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH id, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
RETURN collect(id) AS ids, collect([vector IN $vectors | 2 * vector.similarity.cosine(stored, vector) - 1]) AS cosines

// -- retrieve/nearest_exact
// The chunks nearest to a vector, by looking at all vectors; of chunks that share one, that with the lowest id. In one row,
// which is read in half of the time.
// Parameters: $property STRING (where the vectors are); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; the cosine); nearest first; one
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
// Read once: 65 ms instead of 110 for 6,700 vectors. One of zeros or NaN has no cosine; the server would refuse all.
WITH v, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
WITH v, 2 * vector.similarity.cosine(stored, $vector) - 1 AS cosine ORDER BY cosine DESC, v.id LIMIT $limit
CALL (v) {
  MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
  RETURN c ORDER BY c.id LIMIT 1
}
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
WITH c.id AS id, d.id AS document, cosine ORDER BY cosine DESC, id
RETURN collect([id, document, cosine]) AS found

// -- retrieve/nearest_index
// The chunks nearest to a vector, by the corpus' own index; of chunks that share a vector, that with the lowest id. In one
// row, which is read in half of the time.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; the cosine); nearest first; near INTEGER (vectors that the
//   index returned); one
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH v, score ORDER BY score DESC, v.id
  RETURN collect([v, 2 * score - 1]) AS near
}
CALL (near) {
  UNWIND near[..$limit] AS one
  WITH one[0] AS v, one[1] AS cosine
  CALL (v) {
    MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
    RETURN c ORDER BY c.id LIMIT 1
  }
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WITH c.id AS id, d.id AS document, cosine ORDER BY cosine DESC, id
  RETURN collect([id, document, cosine]) AS found
}
RETURN found, size(near) AS near
