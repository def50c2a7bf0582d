// The links of some documents, also those to documents that are not stored.
// Parameters: $documents LIST<STRING> (ids)
// Rows: link (element id), document, target (the id of the node at the other end), target_source, target_key, type,
//   text STRING; weight FLOAT; in no order
UNWIND $documents AS document
MATCH (:Overstory {id: document})-[l:LINKS]->(t:Overstory&(Document|MissingDocument))
RETURN elementId(l) AS link, document, t.id AS target, coalesce(t.target_source, t.source) AS target_source,
  coalesce(t.target_key, t.source_key) AS target_key, l.type AS type, l.text AS text, l.weight AS weight
