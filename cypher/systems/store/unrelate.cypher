// Deletes the relationships of one type between pairs of nodes of a system.
// Parameters: $type STRING; $rows LIST<MAP {source, target STRING (ids)}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.source})-[r:$($type)]->(b:Overstory {id: row.target})
DELETE r
