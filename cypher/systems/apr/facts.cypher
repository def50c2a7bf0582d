// What some chunks state, in the order of their text, and the names that they mention.
// Parameters: $ids LIST<STRING>
// Rows: id, title, text STRING; facts LIST<LIST> (by whom, number of the sentence or −1, subject, predicate, object);
//   names LIST<LIST> (key, LIST<STRING> of what its mentions were taken for); ordered
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS id, c.title AS title, c.text AS text, COLLECT {
  MATCH (c)<-[s:STATED_IN]-(f:Overstory:Fact)
  RETURN [s.by, coalesce(s.sentence, -1), f.subject, f.predicate, f.object] ORDER BY s.by, s.position, f.id
} AS facts, COLLECT {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.types IS NOT NULL
  RETURN [e.key, m.types] ORDER BY e.key, m.by
} AS names
ORDER BY id
