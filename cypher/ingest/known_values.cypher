// The values of metadata that documents are tied to.
// Parameters: $ids LIST<STRING> (of documents)
// Rows: document STRING (its id); values LIST<LIST<STRING>> (of each its id, key and type); none for documents without any
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[:HAS_VALUE]->(v:Overstory:MetadataValue)
RETURN id AS document, collect([v.id, v.key, v.type]) AS values
