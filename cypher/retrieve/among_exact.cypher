// The chunks of some documents nearest to a vector, by looking at the vectors of all of these; of chunks that share one, that
// with the lowest id.
// Parameters: $documents LIST<STRING> (ids); $property STRING (where the vectors are); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; cosine); nearest first; one
CALL () {
  UNWIND $documents AS id
  MATCH (:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  WITH v, min(c.id) AS id, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
  WITH v, id, 2 * vector.similarity.cosine(stored, $vector) - 1 AS cosine ORDER BY cosine DESC, id LIMIT $limit
  MATCH (c:Overstory {id: id, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
  WITH id, d, cosine ORDER BY cosine DESC, id
  RETURN collect([id, d.id, cosine]) AS found
}
RETURN found
