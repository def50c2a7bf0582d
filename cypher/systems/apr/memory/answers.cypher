// Some remembered answers, whole.
// Parameters: $ids LIST<STRING>
// Rows: id, text, short, kind, model, asked, citations STRING; supports, standing INTEGER (chunks that it stood on, and
//   stands on); runs LIST<INTEGER>; questions LIST<LIST<STRING>> (text, when it was asked, triples as JSON; the newest
//   first); chunks LIST<LIST> (of those: id, text, first characters of sentences; id, source, source key and title of the
//   document); stated LIST<LIST> (of what they state: id of an edge, of the chunk, number of the sentence or −1)
UNWIND $ids AS id
MATCH (a:Overstory {id: id}) WHERE a:AprAnswer AND a.corpus = $corpus
RETURN a.id AS id, a.text AS text, a.short AS short, a.kind AS kind, a.model AS model, a.asked AS asked,
  a.citations AS citations, a.runs AS runs, a.supports AS supports,
  COUNT { (a)-[:STANDS_ON]->(:Overstory:Chunk) } AS standing,
  COLLECT {
    MATCH (a)-[:ANSWERS]->(q:Overstory:AprQuestion)
    RETURN [q.text, q.asked, q.triples] ORDER BY q.asked DESC, q.id
  } AS questions,
  COLLECT {
    MATCH (a)-[:STANDS_ON]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, c.text, coalesce(c.sentences, [0]), d.id, d.source, d.source_key, d.title]
  } AS chunks,
  COLLECT {
    MATCH (a)-[:STANDS_ON]->(c:Overstory:Chunk)<-[:PART_OF]-(:Overstory:AprRun)-[has:HAS_EDGE]->(e:Overstory:AprEdge)
    RETURN [e.id, c.id, has.sentence]
  } AS stated
