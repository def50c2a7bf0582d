// Deletes links, and each node that stands for a missing document with the last link to it. Links are found by their element
// ids: two documents may have thousands. Neo4j gives an id again, so the rest is compared, too.
// Parameters: $rows LIST<MAP {link (element id), document, target (the id of the node at the other end), type, text STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory)-[l:LINKS]->(t:Overstory) WHERE elementId(l) = row.link
WITH row, d, l, t WHERE d.id = row.document AND t.id = row.target AND l.type = row.type AND l.text = row.text
DELETE l
WITH DISTINCT t
WHERE t:MissingDocument AND t.corpus = $corpus AND NOT EXISTS { (t)<-[:LINKS]-(:Overstory) }
DETACH DELETE t
