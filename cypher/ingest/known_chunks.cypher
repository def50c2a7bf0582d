// The chunks of some documents.
// Parameters: $documents LIST<STRING> (ids)
// Rows: id, title, heading STRING; language STRING or null (one that is not English)
UNWIND $documents AS document
MATCH (:Overstory {id: document})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.language AS language
