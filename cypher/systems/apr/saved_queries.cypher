// -- systems/apr/saved_queries/aliases
// Entity: its merged names and their facts
// Parameters: $name STRING (as texts write it, in any case; if no fact has it, the name with most aliases is shown)
// Rows: alias, fact PATH (from a name to its representative; from one of them over a fact to another name; fact is null
//   in the first rows, alias in the others); a picture of up to 40 facts. Needs overstory index --system apr
CALL () {
  MATCH (s:{{corpus}}_AprEntity) WHERE toLower($name) IN [toLower(s.text), s.key]
  OPTIONAL MATCH (s)-[:ALIAS_OF]->(r:{{corpus}}_AprEntity)
  RETURN coalesce(r, s) AS r, 0 AS rank
  UNION ALL
  MATCH (r:{{corpus}}_AprRepresentative)
  RETURN r, 1 AS rank
}
WITH r, COLLECT { MATCH (s:{{corpus}}_AprEntity)-[:ALIAS_OF]->(r) RETURN s } AS aliases, rank
ORDER BY rank, size(aliases) DESC, r.id LIMIT 1
CALL (r, aliases) {
  MATCH alias = (:{{corpus}}_AprEntity)-[:ALIAS_OF]->(r)
  RETURN alias, null AS fact
  UNION ALL
  UNWIND [r] + aliases AS s
  MATCH fact = (s)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge)-[:HEAD|TAIL]->(:{{corpus}}_AprEntity)
  WITH fact, e ORDER BY e.id LIMIT 40
  RETURN null AS alias, fact
}
RETURN alias, fact

// -- systems/apr/saved_queries/memory
// Memory: questions and answers, latest first
// Parameters: none
// Rows: question, answer, kind STRING; facts, passages INTEGER (that the answer is based on); asked STRING; up to 100
//   rows. Needs a remembered answer: overstory ask --remember
MATCH (a:{{corpus}}_AprAnswer)-[:ANSWERS]->(q:{{corpus}}_AprQuestion)
WHERE COUNT { (a)-[:STANDS_ON]->(:{{corpus}}_Chunk) } = a.supports
RETURN q.text AS question, coalesce(nullIf(a.short, ''), a.text) AS answer, a.kind AS kind,
  COUNT { (a)-[:HAS_EDGE]->(:{{corpus}}_AprEdge) } AS facts, a.supports AS passages, a.asked AS asked
ORDER BY asked DESC, question LIMIT 100

// -- systems/apr/saved_queries/remembered
// Memory: the latest answer and its basis
// Parameters: none
// Rows: said, fact PATH (from a question over its answer to a passage; from the answer over a fact to a name); a
//   picture. Needs a remembered answer: overstory ask --remember
MATCH (a:{{corpus}}_AprAnswer) WHERE COUNT { (a)-[:STANDS_ON]->(:{{corpus}}_Chunk) } = a.supports
WITH a ORDER BY a.asked DESC, a.id LIMIT 1
MATCH said = (:{{corpus}}_AprQuestion)<-[:ANSWERS]-(a)-[:STANDS_ON]->(:{{corpus}}_Chunk)
OPTIONAL MATCH fact = (a)-[:HAS_EDGE]->(:{{corpus}}_AprEdge)-[:HEAD|TAIL]->(:{{corpus}}_AprEntity)
RETURN said, fact

// -- systems/apr/saved_queries/runs
// Document: the runs of facts of its first passage
// Parameters: $document STRING (title, id or source of a document)
// Rows: run, fact PATH (from the passage to the facts of a run; from each fact to its names); a picture of up to 12
//   runs. Needs overstory index --system apr
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(c:{{corpus}}_Chunk) WHERE EXISTS { (c)<-[:PART_OF]-(:{{corpus}}_AprRun) }
WITH c ORDER BY c.seq LIMIT 1
MATCH (c)<-[:PART_OF]-(r:{{corpus}}_AprRun)
WITH c, r ORDER BY r.seq LIMIT 12
MATCH run = (c)<-[:PART_OF]-(r)-[:HAS_EDGE]->(e:{{corpus}}_AprEdge)
MATCH fact = (e)-[:HEAD|TAIL]->(:{{corpus}}_AprEntity)
RETURN run, fact
