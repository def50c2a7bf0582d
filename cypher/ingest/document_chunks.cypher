// The chunks of some documents.
// Parameters: $ids LIST<STRING> (documents)
// Rows: document, id, title, heading, text STRING; the chunks of a document in order
UNWIND $ids AS document
MATCH (:Overstory {id: document})<-[:PART_OF]-(c:{{corpus}}_Chunk)
RETURN document, c.id AS id, c.title AS title, c.heading AS heading, c.text AS text
ORDER BY document, c.seq
