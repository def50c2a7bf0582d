// Writes documents, each with all of its properties. SlimRAG has not read them as they are now.
// Parameters: $corpus STRING (id); $rows LIST<MAP {id STRING, properties MAP}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (d:Overstory {id: row.id})
SET d = row.properties, d:Document:{{corpus}}:{{corpus}}_Document
REMOVE d:{{corpus}}_SlimRead
MERGE (d)-[:IN]->(corpus)
