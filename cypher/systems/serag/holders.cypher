// The chunks that mention some entities. Names that only the dictionary found make no edges.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (of an entity in more chunks none are listed)
// Rows: id STRING; chunks LIST<STRING> (ids), null where there are more
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE m.by IN ['ner', 'openie']
  WITH DISTINCT c LIMIT $most + 1
  RETURN collect(c.id) AS chunks
}
RETURN id, CASE WHEN size(chunks) <= $most THEN chunks END AS chunks
