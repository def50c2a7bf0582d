// What some chunks state, in the order of their text.
// Parameters: $chunks LIST<STRING> (ids, in the order that is wanted)
// Rows: chunk, text STRING; sentences LIST<INTEGER> (first characters); facts LIST<LIST> (id of an edge; its head, relation
//   and tail in the words in which it was first read; ids of the symbols of head and tail; its vector as BYTES; number of
//   the sentence or −1)
UNWIND range(0, size($chunks) - 1) AS place
MATCH (c:Overstory {id: $chunks[place]}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS chunk, c.text AS text, coalesce(c.sentences, [0]) AS sentences, COLLECT {
  MATCH (c)<-[:PART_OF]-(r:Overstory:AprRun)-[has:HAS_EDGE]->(e:Overstory:AprEdge)
  MATCH (head:Overstory:AprSymbol)<-[:HEAD]-(e)-[:TAIL]->(tail:Overstory:AprSymbol)
  RETURN [e.id, e.head, e.relation, e.tail, head.id, tail.id, e.vector, has.sentence] ORDER BY r.seq, has.position
} AS facts
ORDER BY place
