// Gives chunks the vectors of others with the same title, heading and text, where they have none.
// Parameters: $property STRING; $rows LIST<MAP {old, new STRING}> (ids of chunks with equal texts)
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (old:Overstory {id: row.old})
MATCH (new:Overstory {id: row.new})
WHERE new:Chunk AND new.corpus = $corpus AND new.title = old.title AND new.heading = old.heading
  AND new[$property] IS NULL AND old[$property] IS NOT NULL
SET new.touched = corpus.version + 1
WITH new, old
CALL db.create.setNodeVectorProperty(new, $property, old[$property])
