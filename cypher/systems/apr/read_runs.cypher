// What some runs say, in the words of symbols that stand for merged ones.
// Parameters: $ids LIST<STRING> (of runs)
// Rows: id, chunk, document STRING; edges LIST<LIST> (id, id of the edge that it is after merging, words of the head, the
//   relation and the tail, number of the sentence or −1; in order)
UNWIND $ids AS id
MATCH (r:Overstory {id: id})-[:PART_OF]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document) WHERE r:AprRun AND r.corpus = $corpus
RETURN r.id AS id, c.id AS chunk, d.id AS document, COLLECT {
  MATCH (r)-[h:HAS_EDGE]->(e:Overstory:AprEdge)
  RETURN [e.id, coalesce(e.canonical, e.id),
    coalesce([(e)-[:HEAD]->(:Overstory:AprSymbol)-[:ALIAS_OF]->(s:Overstory:AprSymbol) | s.text][0], e.head), e.relation,
    coalesce([(e)-[:TAIL]->(:Overstory:AprSymbol)-[:ALIAS_OF]->(s:Overstory:AprSymbol) | s.text][0], e.tail), h.sentence] ORDER BY h.position
} AS edges
