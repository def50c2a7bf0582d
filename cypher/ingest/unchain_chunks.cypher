// Takes the NEXT relationships out of some documents.
// Parameters: $documents LIST<STRING> (ids)
// Rows: none
UNWIND $documents AS document
MATCH (:Overstory {id: document})<-[:PART_OF]-(:Overstory:Chunk)-[next:NEXT]->(:Overstory)
DELETE next
