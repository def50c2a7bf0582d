// The chunks that mention some entities, are about them or state facts of them.
// Parameters: $ids LIST<STRING>; $most INTEGER (chunks of an entity that are looked at)
// Rows: id STRING; whole BOOLEAN (whether these are all chunks); chunks LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  CALL (e) {
    MATCH (e)<-[:MENTIONS]-(c:Overstory:Chunk)
    RETURN c LIMIT $most + 1
    UNION
    MATCH (e)-[:ABOUT]->(c:Overstory:Chunk)
    RETURN c LIMIT $most + 1
    UNION
    MATCH (e)<-[:SUBJECT|OBJECT]-(:Overstory:Fact)-[:STATED_IN]->(c:Overstory:Chunk)
    RETURN c LIMIT $most + 1
  }
  RETURN collect(c.id) AS chunks
}
RETURN e.id AS id, size(chunks) <= $most AS whole, chunks[..$most] AS chunks
