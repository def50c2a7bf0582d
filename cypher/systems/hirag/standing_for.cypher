// The entities of a generation that stand for some names of the corpus.
// Parameters: $ids LIST<STRING> (of names); $generation INTEGER
// Rows: entity, id STRING (of a name, and of what stands for it)
UNWIND $ids AS entity
MATCH (:Overstory {id: entity, corpus: $corpus})<-[:STANDS_FOR]-(e:Overstory:HiragEntity) WHERE e.generation = $generation
RETURN entity, e.id AS id
