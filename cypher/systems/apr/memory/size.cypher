// How much the memory of a corpus holds.
// Parameters: none
// Rows: answers, questions, facts, passages, unsupported INTEGER (answers that cite what is not there any more); one
CALL () { MATCH (a:{{corpus}}_AprAnswer) RETURN count(a) AS answers }
CALL () { MATCH (q:{{corpus}}_AprQuestion) RETURN count(q) AS questions }
CALL () { MATCH (:{{corpus}}_AprAnswer)-[:HAS_EDGE]->(e:{{corpus}}_AprEdge) RETURN count(DISTINCT e) AS facts }
CALL () { MATCH (:{{corpus}}_AprAnswer)-[:STANDS_ON]->(c:{{corpus}}_Chunk) RETURN count(DISTINCT c) AS passages }
CALL () {
  MATCH (a:{{corpus}}_AprAnswer)
  WHERE COUNT { (a)-[:STANDS_ON]->(:Chunk:{{corpus}}) } <> a.supports
    OR COUNT { (a)-[:HAS_EDGE]->(:AprEdge:{{corpus}}) } <> a.edges
    OR EXISTS {
      MATCH (a)-[:HAS_EDGE]->(e:{{corpus}}_AprEdge)
      WHERE NOT EXISTS {
        (a)-[:STANDS_ON]->(:Chunk:{{corpus}})<-[:PART_OF]-(:AprRun:{{corpus}})-[:HAS_EDGE]->(e)
      }
    }
  RETURN count(a) AS unsupported
}
RETURN answers, questions, facts, passages, unsupported
