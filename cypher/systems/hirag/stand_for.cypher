// Ties entities of layer 0 to those of the corpus that they stand for, with which they are deleted.
// Parameters: $rows LIST<MAP {id, entity STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id, corpus: $corpus})
MATCH (entity:Overstory {id: row.entity}) WHERE entity:Entity AND entity.corpus = $corpus
SET e:OfEntity
MERGE (e)-[:STANDS_FOR]->(entity)
