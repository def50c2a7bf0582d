// -- ingest/count_keys
// Changes how many documents have a value of some type under a key.
// Parameters: $rows LIST<MAP {id, key, type STRING; change INTEGER}>
// Rows: none
UNWIND $rows AS row
MERGE (k:Overstory {id: row.id})
ON CREATE SET k:MetadataKey:$($corpus):$($corpus + '_MetadataKey'), k.corpus = $corpus, k.key = row.key, k.type = row.type,
  k.documents = 0
SET k.documents = k.documents + row.change

// -- ingest/known_values
// The values of metadata that documents are tied to.
// Parameters: $ids LIST<STRING> (of documents)
// Rows: document STRING (its id); values LIST<LIST<STRING>> (of each its id, key and type); none for documents without any
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[:HAS_VALUE]->(v:Overstory:MetadataValue)
RETURN id AS document, collect([v.id, v.key, v.type]) AS values

// -- ingest/remove_keys
// Deletes those keys of metadata that no document has any more.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (k:Overstory {id: id}) WHERE k:MetadataKey AND k.corpus = $corpus AND k.documents <= 0
DETACH DELETE k

// -- ingest/remove_values
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

// -- ingest/write_values
// Ties documents to values of their metadata, which are made where they are new.
// Parameters: $rows LIST<MAP {id, key STRING (ids of the value and of its key); properties MAP; documents LIST<STRING>
//   (ids of those that are not tied to it yet)}>
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
// Writes the pages that chunks begin on, which says nothing to systems: `touched` stays.
// Parameters: $rows LIST<MAP {id STRING; page INTEGER}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.page = row.page
