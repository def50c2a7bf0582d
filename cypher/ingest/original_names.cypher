// What was found in some chunks before names were edited by hand.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: chunk, by, found STRING (JSON)
UNWIND $chunks AS id
MATCH (c:Overstory {id: id})<-[:OF]-(o:Overstory:OriginalNames)
RETURN id AS chunk, o.by AS by, o.found AS found
