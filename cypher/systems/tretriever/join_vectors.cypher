// Joins leaves and summaries to the stored vectors of their texts.
// Parameters: $rows LIST<MAP {id, vector STRING (ids)}>
// Rows: none
UNWIND $rows AS row
MATCH (n:Overstory {id: row.id})
MATCH (v:Overstory {id: row.vector}) WHERE n.corpus = $corpus AND v.corpus = $corpus
CALL (n) {
  MATCH (n)-[old:HAS_VECTOR]->(:Overstory:DerivedVector)
  DELETE old
}
CREATE (n)-[:HAS_VECTOR]->(v)
