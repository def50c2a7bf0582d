// Writes sentences. One that is there keeps its vector; its place may be another now.
// Parameters: $label STRING; $rows LIST<MAP {id, chunk STRING; seq INTEGER (from 0); vector LIST<FLOAT> or null}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:{{corpus}}_Chunk
MERGE (s:Overstory {id: row.id})
ON CREATE SET s:Sentence:{{corpus}}:{{corpus}}_Sentence, s.corpus = $label
SET s.seq = row.seq
MERGE (s)-[:PART_OF]->(c)
WITH s, row WHERE row.vector IS NOT NULL
CALL db.create.setNodeVectorProperty(s, 'embedding', row.vector)
