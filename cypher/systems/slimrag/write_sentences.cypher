// Writes sentences of SlimRAG with what they refer to.
// Parameters: $label STRING; $rows LIST<MAP {id, chunk, text STRING; seq, tokens INTEGER (seq from 0, in the chunk);
//   vector BYTES (float16); refers LIST<MAP {entity STRING (id); surface, by STRING}>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:{{corpus}}_Chunk
MERGE (s:Overstory {id: row.id})
SET s:SlimSentence:{{corpus}}:{{corpus}}_SlimSentence:{{corpus}}_OfChunk,
  s.corpus = $label, s.seq = row.seq, s.text = row.text, s.tokens = row.tokens, s.vector = row.vector
MERGE (s)-[:PART_OF]->(c)
WITH s, row
UNWIND row.refers AS reference
MATCH (e:Overstory {id: reference.entity}) WHERE e:{{corpus}}_SlimEntity
MERGE (s)-[r:REFERS_TO]->(e)
SET r.surface = reference.surface, r.by = reference.by
