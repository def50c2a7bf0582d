// What the memory of a corpus is at, how much it holds, and whether it has an answer to a question.
// Parameters: $memory, $answer, $question STRING (ids)
// Rows: version INTEGER, embedder STRING (null where nothing was ever remembered); questions INTEGER; known BOOLEAN; one
OPTIONAL MATCH (m:Overstory {id: $memory})
CALL () { MATCH (q:{{corpus}}_AprQuestion) RETURN count(q) AS questions }
RETURN m.version AS version, m.embedder AS embedder, questions, EXISTS {
  MATCH (a:Overstory {id: $answer})-[:ANSWERS]->(q:{{corpus}}_AprQuestion) WHERE q.id = $question
  AND COUNT { (a)-[:STANDS_ON]->(:Chunk:{{corpus}}) } = a.supports
} AS known
