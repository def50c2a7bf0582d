// Memory: questions and answers, the latest first
// Parameters: none
// Rows: question, answer, kind STRING; facts, passages INTEGER (that the answer stands on); asked STRING; at most 100.
//   Needs an answer that was remembered: overstory ask --remember
MATCH (a:{{corpus}}_AprAnswer)-[:ANSWERS]->(q:{{corpus}}_AprQuestion)
WHERE COUNT { (a)-[:STANDS_ON]->(:{{corpus}}_Chunk) } = a.supports
RETURN q.text AS question, coalesce(nullIf(a.short, ''), a.text) AS answer, a.kind AS kind,
  COUNT { (a)-[:HAS_EDGE]->(:{{corpus}}_AprEdge) } AS facts, a.supports AS passages, a.asked AS asked
ORDER BY asked DESC, question LIMIT 100
