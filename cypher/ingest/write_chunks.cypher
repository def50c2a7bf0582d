// Writes chunks. One that is there keeps its vector, its mentions and its facts.
// Parameters: $rows LIST<MAP {id, document STRING, properties MAP}>
// Rows: none
MATCH (corpus:Corpus:{{corpus}})
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
MERGE (c:Overstory {id: row.id})
SET c += row.properties, c.touched = corpus.version + 1, c:Chunk:{{corpus}}:{{corpus}}_Chunk:{{corpus}}_Changed
MERGE (c)-[:PART_OF]->(d)
