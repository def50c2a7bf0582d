// What some runs say, in the words of symbols that stand for merged ones.
// Parameters: $ids LIST<STRING> (of runs)
// Rows: id, chunk, document STRING; edges LIST<LIST> (id, id of the edge that it is after merging, words of the head, the
//   relation and the tail, number of the sentence or −1; in order)
UNWIND $ids AS id
MATCH (r:Overstory {id: id})-[:PART_OF]->(c:Chunk)-[:PART_OF]->(d:Document) WHERE r:AprRun AND r.corpus = $corpus
RETURN r.id AS id, c.id AS chunk, d.id AS document, COLLECT {
  MATCH (r)-[h:HAS_EDGE]->(e:AprEdge)
  RETURN [e.id, coalesce(e.canonical, e.id),
    coalesce([(e)-[:HEAD]->(:AprSymbol)-[:ALIAS_OF]->(s:AprSymbol) | s.text][0], e.head), e.relation,
    coalesce([(e)-[:TAIL]->(:AprSymbol)-[:ALIAS_OF]->(s:AprSymbol) | s.text][0], e.tail), h.sentence] ORDER BY h.position
} AS edges
