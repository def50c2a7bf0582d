// Writes what is said of entities, with the passages that it stands on and its vector; must not be there yet. It goes with
// the first of these passages, and with its entity.
// Parameters: $rows LIST<MAP {id, entity STRING; properties MAP; vector STRING (id of a stored one);
//   chunks LIST<STRING> (ids, the most important first)}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.entity, corpus: $corpus})
MATCH (v:Overstory {id: row.vector}) WHERE v:DerivedVector AND v.corpus = $corpus
MERGE (d:Overstory {id: row.id})
SET d += row.properties, d:HiragDescription:$($corpus):$($corpus + '_HiragDescription'):$($corpus + '_Derived'),
  d:OfChunk:Shared
MERGE (e)-[:HAS_DESCRIPTION]->(d)
MERGE (d)-[:HAS_VECTOR]->(v)
WITH d, row
UNWIND range(0, size(row.chunks) - 1) AS position
MATCH (c:Overstory {id: row.chunks[position]}) WHERE c:Chunk AND c.corpus = $corpus
MERGE (d)-[s:STANDS_ON]->(c)
SET s.position = position
