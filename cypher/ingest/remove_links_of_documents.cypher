// Deletes the links of documents to documents that are missing, and each node that stands for one with the last link to it.
// Parameters: $ids LIST<STRING> (of the documents)
// Rows: none
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[l:LINKS]->(t:Overstory:MissingDocument)
DELETE l
WITH DISTINCT t
WHERE NOT EXISTS { (t)<-[:LINKS]-(:Overstory) }
DETACH DELETE t
