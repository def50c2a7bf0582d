// Marks units as read by an index as they are now.
// Parameters: $ids LIST<STRING>; $mark STRING (the property)
// Rows: none
UNWIND $ids AS id
MATCH (n:Overstory {id: id}) WHERE n.corpus = $corpus
SET n[$mark] = n.touched
