// Parts documents from values of their metadata; a value goes with the last of its documents.
// Parameters: $rows LIST<MAP {id STRING (of the value); documents LIST<STRING> (ids)}>
// Rows: none
UNWIND $rows AS row
UNWIND row.documents AS document
MATCH (d:Overstory {id: document})
MATCH (d)-[tie:HAS_VALUE]->(v:Overstory:MetadataValue) WHERE v.id = row.id
DELETE tie
WITH DISTINCT v
WHERE NOT EXISTS { (v)<-[:HAS_VALUE]-() }
DETACH DELETE v
