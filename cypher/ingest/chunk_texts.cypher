// The texts of a document's chunks.
// Parameters: $document STRING (id)
// Rows: id, text STRING; in reading order
MATCH (:Overstory {id: $document})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN c.id AS id, c.text AS text ORDER BY c.seq
