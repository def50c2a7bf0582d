// Writes sentences of SlimRAG with what they refer to.
// Parameters: $rows LIST<MAP {id, chunk, text STRING; seq, tokens INTEGER (seq from 0, in the chunk);
//   vector STRING (id of a stored one); refers LIST<MAP {entity STRING (id); surface, by STRING}>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
MERGE (s:Overstory {id: row.id})
SET s:SlimSentence:$($corpus):$($corpus + '_SlimSentence'):OfChunk,
  s.corpus = $corpus, s.seq = row.seq, s.text = row.text, s.tokens = row.tokens
MERGE (s)-[:PART_OF]->(c)
WITH s, row
MATCH (v:Overstory {id: row.vector}) WHERE v:DerivedVector AND v.corpus = $corpus
MERGE (s)-[:HAS_VECTOR]->(v)
WITH s, row
UNWIND row.refers AS reference
MATCH (e:Overstory {id: reference.entity}) WHERE e:SlimEntity AND e.corpus = $corpus
MERGE (s)-[r:REFERS_TO]->(e)
SET r.surface = reference.surface, r.by = reference.by
