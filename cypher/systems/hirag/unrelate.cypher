// Deletes the relationships of one type between pairs of entities.
// Parameters: $type STRING; $rows LIST<MAP {source, target STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.source})-[r:$($type)]->(b:Overstory {id: row.target})
DELETE r
