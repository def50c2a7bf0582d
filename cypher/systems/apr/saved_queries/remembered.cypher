// Memory: the latest answer, and what it stands on
// Parameters: none
// Rows: said, fact PATH (from a question over its answer to a passage; from the answer over a fact to a name); a picture.
//   Needs an answer that was remembered: overstory ask --remember
MATCH (a:{{corpus}}_AprAnswer) WHERE COUNT { (a)-[:STANDS_ON]->(:{{corpus}}_Chunk) } = a.supports
WITH a ORDER BY a.asked DESC, a.id LIMIT 1
MATCH said = (:{{corpus}}_AprQuestion)<-[:ANSWERS]-(a)-[:STANDS_ON]->(:{{corpus}}_Chunk)
OPTIONAL MATCH fact = (a)-[:HAS_EDGE]->(:{{corpus}}_AprEdge)-[:HEAD|TAIL]->(:{{corpus}}_AprEntity)
RETURN said, fact
