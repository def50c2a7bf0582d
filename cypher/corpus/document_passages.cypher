// Passages of a document, in reading order.
// Parameters: $id STRING (document); $skip, $limit INTEGER
// Rows: id, heading, text STRING; start, end INTEGER (characters in the document)
MATCH (:Overstory {id: $id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN c.id AS id, c.heading AS heading, c.text AS text, c.start AS start, c.end AS end
ORDER BY c.seq SKIP $skip LIMIT $limit
