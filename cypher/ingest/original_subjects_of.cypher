// What some chunks are about by themselves, before names were edited by hand.
// Parameters: $ids LIST<STRING>
// Rows: chunk, found STRING (JSON)
UNWIND $ids AS id
MATCH (c:Overstory {id: id})<-[:OF]-(o:Overstory:OriginalNames {by: 'about'})
RETURN c.id AS chunk, o.found AS found
