// The chunks that share the vector of some chunks, which is to say their text and title.
// Parameters: $ids LIST<STRING>; $most INTEGER (chunks of a vector that are listed, by id)
// Rows: vector STRING (id); times INTEGER (chunks that share it); ids LIST<STRING> (those of $ids that do);
//   others LIST<STRING> (ids of the first $most of all chunks that do); one for each vector
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH v, collect(c.id) AS ids
RETURN v.id AS vector, COUNT { (v)<-[:HAS_VECTOR]-() } AS times, ids,
  COLLECT { MATCH (v)<-[:HAS_VECTOR]-(o:Overstory:Chunk) RETURN o.id ORDER BY o.id LIMIT $most } AS others
