// What some chunks state, in the order of their text.
// Parameters: $ids LIST<STRING>
// Rows: id, title STRING; facts LIST<LIST> (by whom, number of the sentence or −1, subject, predicate, object); ordered
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
RETURN c.id AS id, c.title AS title, COLLECT {
  MATCH (c)<-[s:STATED_IN]-(f:Fact:{{corpus}})
  RETURN [s.by, coalesce(s.sentence, -1), f.subject, f.predicate, f.object] ORDER BY s.by, s.position, f.id
} AS facts
ORDER BY id
