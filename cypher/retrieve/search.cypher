// -- retrieve/nearest_nodes
// Find the nodes of one kind nearest to a vector with their vector index: request $depth results and return the best
// $limit.
// Parameters: $index STRING; $vector LIST<FLOAT>; $depth, $limit INTEGER
// Rows: id STRING; score FLOAT (cosine, -1 to 1); best first
// Since: Neo4j 2026.04 (SEARCH)
CALL db.index.vector.queryNodes($index, $depth, $vector) YIELD node AS n, score
// since: MATCH (n) SEARCH n IN (VECTOR INDEX {{$index}} FOR $vector LIMIT $depth) SCORE AS score
WITH n, 2 * score - 1 AS score WHERE n.corpus = $corpus
RETURN n.id AS id, score ORDER BY score DESC, id LIMIT $limit

// -- retrieve/section_vectors
// Read the vectors of the sections of some chunks.
// Parameters: $ids LIST<STRING> (chunks); $property STRING (of the vectors)
// Rows: sections LIST<LIST<LIST>> (per section its chunks: id, vector, number of embedded tokens); one row
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
OPTIONAL MATCH (first:Overstory {id: c.section})
WITH DISTINCT coalesce(first.section_chunks, [id]) AS chunks // the first chunk is missing while a large document is replaced
WITH chunks, COLLECT {
  UNWIND chunks AS chunk
  MATCH (c:Overstory {id: chunk})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  WITH c, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
  RETURN [c.id, vector, c.token_count]
} AS members
RETURN collect(members) AS sections

// -- retrieve/cosines
// Compute the cosines of some chunks with some vectors.
// Parameters: $ids LIST<STRING>; $property STRING (of the vectors); $vectors LIST<LIST<FLOAT>> (without zero vectors)
// Rows: ids LIST<STRING> (chunks with a vector); cosines LIST<LIST<FLOAT>> (per chunk, in the order of $vectors); one
//   row
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH id, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
RETURN collect(id) AS ids, collect([vector IN $vectors | 2 * vector.similarity.cosine(stored, vector) - 1]) AS cosines

// -- retrieve/nearest_exact
// Find the chunks nearest to a vector. Compares all vectors; of chunks that share a vector, the one with the lowest id
// is returned. One row takes half of the time.
// Parameters: $property STRING (of the vectors); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; cosine); nearest first; one row
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
// Reads each vector once: 65 ms instead of 110 for 6,700 vectors. Zero and NaN vectors have no cosine and would be errors.
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
// Find the chunks nearest to a vector with the corpus' vector index; of chunks that share a vector, the one with the
// lowest id is returned. One row takes half of the time.
// Parameters: $vector_index STRING; $vector_depth INTEGER (results to request from the index); $vector LIST<FLOAT>;
//   $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; cosine); nearest first; near INTEGER (vectors that the
//   index returned); one row
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
