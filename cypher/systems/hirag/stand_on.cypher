// Ties entities that stand for no entity of the corpus to the passages that their names may come from: summaries, and
// what only a language model found. They are deleted with the first of these passages.
// Parameters: $rows LIST<MAP {id STRING; chunks LIST<STRING> (ids; none for an entity that stands for one of the corpus)}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:{{corpus}}_HiragEntity
CALL (e) {
  MATCH (e)-[old:STANDS_ON]->(:{{corpus}}_Chunk)
  DELETE old
}
REMOVE e:{{corpus}}_OfChunk
WITH e, row
UNWIND row.chunks AS id
MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
SET e:{{corpus}}_OfChunk
CREATE (e)-[:STANDS_ON]->(c)
