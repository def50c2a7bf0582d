// The remembered answers to some questions, with the facts that they cite, as far as passages that they stand on still
// state these.
// Parameters: $questions LIST<STRING> (ids)
// Rows: question, asked (its text), id, text, short, kind, model, at STRING; citations STRING (JSON: LIST of the ids of a
//   fact and its chunk, and the words it was written in); facts LIST<LIST> (ids of an edge, of the chunk that states it, of
//   its document; its vector as BYTES; its canonical id; head, relation and tail, of representatives where they were merged)
UNWIND $questions AS question
MATCH (q:Overstory {id: question}) WHERE q:AprQuestion AND q.corpus = $corpus
MATCH (a:Overstory:AprAnswer)-[:ANSWERS]->(q)
WHERE COUNT { (a)-[:STANDS_ON]->(:Overstory:Chunk) } = a.supports
CALL (a) {
  MATCH (a)-[:HAS_EDGE]->(e:Overstory:AprEdge)
  WITH a, collect(e) AS edges
  MATCH (a)-[:STANDS_ON]->(c:Overstory:Chunk)<-[:PART_OF]-(:Overstory:AprRun)-[:HAS_EDGE]->(e:Overstory:AprEdge)
  WHERE e IN edges
  WITH DISTINCT e, c
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  MATCH (e)-[:HEAD]->(head:Overstory:AprSymbol)
  MATCH (e)-[:RELATION]->(relation:Overstory:AprSymbol)
  MATCH (e)-[:TAIL]->(tail:Overstory:AprSymbol)
  OPTIONAL MATCH (head)-[:ALIAS_OF]->(h:Overstory:AprSymbol)
  OPTIONAL MATCH (relation)-[:ALIAS_OF]->(r:Overstory:AprSymbol)
  OPTIONAL MATCH (tail)-[:ALIAS_OF]->(t:Overstory:AprSymbol)
  RETURN collect([e.id, c.id, d.id, e.vector, coalesce(e.canonical, e.id), coalesce(h.text, head.text),
    coalesce(r.text, relation.text), coalesce(t.text, tail.text)]) AS facts
}
RETURN q.id AS question, q.text AS asked, a.id AS id, a.text AS text, a.short AS short, a.kind AS kind, a.model AS model,
  a.asked AS at, a.citations AS citations, facts
