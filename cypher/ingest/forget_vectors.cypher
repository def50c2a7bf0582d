// Parts chunks from their vectors and marks them for the embed stage: the text that is embedded for them changed. A vector
// goes with the last of its chunks.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
SET c:$($corpus + '_Unembedded'), c.touched = corpus.version + 1
WITH c
MATCH (c)-[has:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH collect(has) AS joined, collect(DISTINCT v) AS vectors
FOREACH (has IN joined | DELETE has)
WITH vectors
UNWIND vectors AS v
WITH v WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-() }
DETACH DELETE v
