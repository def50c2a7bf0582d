// Writes the nearest neighbours of chunks in place of those that they have.
// Parameters: $rows LIST<MAP {id STRING, others LIST<MAP {id STRING, score FLOAT, (1 + cosine) / 2}>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id})
CALL (c) {
  MATCH (c)-[old:SIMILAR]->(:Overstory)
  DELETE old
}
UNWIND row.others AS each
MATCH (other:Overstory {id: each.id})
CREATE (c)-[:SIMILAR {score: each.score}]->(other)
