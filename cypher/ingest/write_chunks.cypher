// Writes chunks. One that is there keeps its vector, its mentions and its facts. SeRAG's tree has none of them as they
// are now.
// Parameters: $rows LIST<MAP {id, document STRING, properties MAP}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
MERGE (c:Overstory {id: row.id})
SET c += row.properties, c:Chunk:{{corpus}}:{{corpus}}_Chunk:{{corpus}}_Changed
REMOVE c:{{corpus}}_SeragRead
MERGE (c)-[:PART_OF]->(d)
