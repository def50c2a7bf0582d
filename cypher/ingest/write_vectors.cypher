// Stores vectors of passages as float32, and marks the chunks that already share them as changed.
// Parameters: $property STRING; $rows LIST<MAP {id STRING (of the vector), vector LIST<FLOAT>}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:PassageVector:$($corpus):$($corpus + '_PassageVector'), v.corpus = $corpus
WITH v, row, corpus
CALL (v, corpus) {
  MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
  SET c.touched = corpus.version + 1
}
WITH v, row
CALL db.create.setNodeVectorProperty(v, $property, row.vector)
