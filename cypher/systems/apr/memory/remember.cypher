// Remembers an answer to a question, with the chunks and the edges that it cites, which are there and locked. One that is
// there stays as it is.
// Parameters: $memory, $embedder STRING (id of the memory, fingerprint of the embedder);
//   $question MAP {id, text, asked, triples STRING (JSON); vector BYTES; symbols LIST<STRING> (ids of those of its triples)};
//   $answer MAP {id, text, short, kind, model, asked, citations STRING (JSON); supports, edges INTEGER;
//   runs LIST<INTEGER>};
//   $chunks LIST<STRING> (ids); $edges LIST<LIST> (id, position, run)
// Rows: none
MERGE (m:Overstory {id: $memory})
ON CREATE SET m:AprMemory:$($corpus):$($corpus + '_AprMemory'), m.corpus = $corpus, m.embedder = $embedder, m.since = $question.asked
SET m.version = coalesce(m.version, 0) + 1
MERGE (q:Overstory {id: $question.id})
ON CREATE SET q:AprQuestion:$($corpus):$($corpus + '_AprQuestion'):Shared, q.corpus = $corpus, q.text = $question.text,
  q.asked = $question.asked, q.triples = $question.triples, q.vector = $question.vector, q.symbols = $question.symbols
SET q.version = m.version
MERGE (a:Overstory {id: $answer.id})
ON CREATE SET a:AprAnswer:$($corpus):$($corpus + '_AprAnswer'):OfChunk, a.corpus = $corpus, a += $answer
MERGE (a)-[:ANSWERS]->(q)
WITH q, a
CALL (q) {
  UNWIND $question.symbols AS symbol
  MATCH (s:Overstory {id: symbol}) WHERE s:AprSymbol AND s.corpus = $corpus
  MERGE (q)-[:ASKS]->(s)
}
CALL (a) {
  UNWIND $chunks AS chunk
  MATCH (c:Overstory {id: chunk}) WHERE c:Chunk AND c.corpus = $corpus
  MERGE (a)-[:STANDS_ON]->(c)
}
CALL (a) {
  UNWIND $edges AS edge
  MATCH (e:Overstory {id: edge[0]}) WHERE e:AprEdge AND e.corpus = $corpus
  MERGE (a)-[has:HAS_EDGE]->(e)
  SET has.position = edge[1], has.run = edge[2]
}
