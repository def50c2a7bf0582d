// The chunks before and after some chunks in their documents.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; seq INTEGER; others LIST<LIST> (id, seq)
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN id, c.seq AS seq, COLLECT {
  MATCH (c)-[:NEXT*1..10]-(other:Overstory:Chunk) WHERE other <> c
  WITH DISTINCT other
  RETURN [other.id, other.seq]
} AS others
