// Takes the NEXT relationships away that start at some chunks.
// Parameters: $ids LIST<STRING> (chunks; some may not be there yet)
// Rows: none
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[next:NEXT]->(:Overstory)
DELETE next
