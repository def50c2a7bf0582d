// -- ingest/count_keys
// Change the number of documents that have a value of some type under a metadata key.
// Parameters: $rows LIST<MAP {id, key, type STRING; change INTEGER}>
// Rows: none
UNWIND $rows AS row
MERGE (k:Overstory {id: row.id})
ON CREATE SET k:MetadataKey:$($corpus):$($corpus + '_MetadataKey'), k.corpus = $corpus, k.key = row.key, k.type = row.type,
  k.documents = 0
SET k.documents = k.documents + row.change

// -- ingest/known_values
// Read the metadata values of documents.
// Parameters: $ids LIST<STRING> (of documents)
// Rows: document STRING (id); values LIST<LIST<STRING>> (id, key and type of each); no row for a document without
//   values
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[:HAS_VALUE]->(v:Overstory:MetadataValue)
RETURN id AS document, collect([v.id, v.key, v.type]) AS values

// -- ingest/remove_keys
// Delete metadata keys that no document has.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (k:Overstory {id: id}) WHERE k:MetadataKey AND k.corpus = $corpus AND k.documents <= 0
DETACH DELETE k

// -- ingest/remove_values
// Detach documents from metadata values. A value is deleted with its last document.
// Parameters: $rows LIST<MAP {id STRING (of the value); documents LIST<STRING> (ids)}>
// Rows: none
UNWIND $rows AS row
UNWIND row.documents AS document
MATCH (d:Overstory {id: document})
CALL (d, row) { // otherwise the plan starts at the value, which all documents may share
  MATCH (d)-[tie:HAS_VALUE]->(v:Overstory:MetadataValue) WHERE v.id = row.id
  RETURN tie, v
}
DELETE tie
WITH DISTINCT v
WHERE NOT EXISTS { (v)<-[:HAS_VALUE]-() }
DETACH DELETE v

// -- ingest/write_values
// Create missing metadata values, and connect documents to them.
// Parameters: $rows LIST<MAP {id, key STRING (ids of the value and its key); properties MAP; documents LIST<STRING>
//   (ids of documents not yet connected)}>
// Rows: none
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:MetadataValue:$($corpus), v += row.properties
WITH v, row
CALL (v, row) {
  WITH v, row WHERE NOT EXISTS { (v)-[:OF_KEY]->() }
  MATCH (k:Overstory {id: row.key})
  CREATE (v)-[:OF_KEY]->(k)
}
CALL (v, row) {
  UNWIND row.documents AS id
  MATCH (d:Overstory {id: id})
  CREATE (d)-[:HAS_VALUE]->(v)
}

// -- ingest/write_pages
// Write the pages on which chunks begin. No system depends on them, so `touched` stays.
// Parameters: $rows LIST<MAP {id STRING; page INTEGER}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.page = row.page
