// Which chunks say the names of some entities, and how often. Of a name in more than $most chunks none are listed.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (chunks)
// Rows: id STRING; mentions INTEGER (relationships); chunks LIST<LIST> (id, how often it says the name)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
WITH e, COUNT { (e)<-[:MENTIONS]-() } AS mentions
CALL (e, mentions) {
  MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE mentions <= $most AND m.count > 0
  WITH c, max(m.count) AS count
  RETURN collect([c.id, count]) AS chunks
}
RETURN e.id AS id, mentions, chunks
