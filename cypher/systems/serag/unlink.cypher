// Deletes edges of the chunk graph.
// Parameters: $rows LIST<MAP {one, other STRING (chunks)}>
// Rows: none
UNWIND $rows AS row
MATCH (:Overstory {id: row.one})-[l:LINKED]->(:Overstory {id: row.other})
DELETE l
