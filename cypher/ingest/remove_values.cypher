// Parts documents from values of their metadata; a value goes with the last of its documents.
// Parameters: $rows LIST<MAP {id STRING (of the value); documents LIST<STRING> (ids)}>
// Rows: none
UNWIND $rows AS row
UNWIND row.documents AS document
MATCH (d:Overstory {id: document})
CALL (d, row) { // or the server begins at the value, which all documents may share
  MATCH (d)-[tie:HAS_VALUE]->(v:Overstory:MetadataValue) WHERE v.id = row.id
  RETURN tie, v
}
DELETE tie
WITH DISTINCT v
WHERE NOT EXISTS { (v)<-[:HAS_VALUE]-() }
DETACH DELETE v
