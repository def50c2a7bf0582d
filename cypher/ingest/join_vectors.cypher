// Joins chunks to their stored vectors, and takes the mark of the embed stage off them.
// Parameters: $rows LIST<MAP {id STRING (of a chunk); vector STRING (its id), or null: the chunk is to have none}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.touched = corpus.version + 1
REMOVE c:$($corpus + '_Unembedded')
WITH c, row
MATCH (v:Overstory {id: row.vector}) WHERE v:PassageVector AND v.corpus = $corpus
MERGE (c)-[:HAS_VECTOR]->(v)
