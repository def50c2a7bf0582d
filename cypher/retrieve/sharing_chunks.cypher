// All chunks that share the vector of some chunks, with their documents.
// Parameters: $ids LIST<STRING>; $most INTEGER (chunks a vector)
// Rows: ids LIST<STRING> (those of $ids that share a vector); chunks LIST<LIST> (ids of a chunk that does, and of its
//   document, by the chunks' ids); one for each vector
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH v, collect(c.id) AS ids
RETURN ids, COLLECT {
  MATCH (v)<-[:HAS_VECTOR]-(o:Overstory:Chunk)
  WITH o ORDER BY o.id LIMIT $most
  MATCH (o)-[:PART_OF]->(d:Overstory:Document)
  RETURN [o.id, d.id]
} AS chunks
