// Writes links to documents that are stored.
// Parameters: $rows LIST<MAP {document, target (ids), type, text STRING; weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document}), (t:Overstory {id: row.target})
MERGE (d)-[l:LINKS {type: row.type, text: row.text}]->(t)
SET l.weight = row.weight
