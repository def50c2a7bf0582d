// Which of some names the corpus knows, and how often its chunks say them. Of a name in more chunks none are listed.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (chunks)
// Rows: id, key, name STRING; mentions INTEGER (relationships); chunks LIST<LIST> (id, how often it says the name)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity:{{corpus}}
WITH e, COUNT { (e)<-[:MENTIONS]-() } AS mentions
CALL (e, mentions) {
  MATCH (e)<-[m:MENTIONS]-(c:{{corpus}}_Chunk) WHERE mentions <= $most AND m.count > 0
  WITH c, max(m.count) AS count
  RETURN collect([c.id, count]) AS chunks
}
RETURN e.id AS id, e.key AS key, e.name AS name, mentions, chunks
