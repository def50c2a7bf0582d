// Deletes links, and each node that stands for a missing document with the last link to it.
// Parameters: $rows LIST<MAP {document, target (the id of the node at the other end), type, text STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (:Overstory {id: row.document})-[l:LINKS {type: row.type, text: row.text}]->(t:Overstory {id: row.target})
DELETE l
WITH DISTINCT t
WHERE t:{{corpus}}_MissingDocument AND NOT EXISTS { (t)<-[:LINKS]-(:Overstory) }
DETACH DELETE t
