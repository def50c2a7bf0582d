// Ties entities that stand for no entity of the corpus to the passages that their names may come from: summaries, and
// what only a language model found. They are deleted with the first of these passages.
// Parameters: $rows LIST<MAP {id STRING; chunks LIST<STRING> (ids; none for an entity that stands for one of the corpus)}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:HiragEntity AND e.corpus = $corpus
CALL (e) {
  MATCH (e)-[old:STANDS_ON]->(:Overstory:Chunk)
  DELETE old
}
REMOVE e:OfChunk
WITH e, row
UNWIND row.chunks AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
SET e:OfChunk
CREATE (e)-[:STANDS_ON]->(c)
