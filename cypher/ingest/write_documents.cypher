// Writes documents, each with all of its properties.
// Parameters: $corpus STRING (id); $rows LIST<MAP {id STRING, properties MAP}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (d:Overstory {id: row.id})
SET d = row.properties, d.touched = corpus.version + 1, d:Document:{{corpus}}:{{corpus}}_Document
MERGE (d)-[:IN]->(corpus)
