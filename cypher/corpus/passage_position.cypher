// How many passages of a document come before one of them.
// Parameters: $id STRING (document); $passage STRING
// Rows: position INTEGER; none if the document has no such passage
MATCH (:Overstory {id: $id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk {id: $passage})
RETURN c.seq AS position
