// Writes relationships of one type between nodes of a system, which must not be there yet.
// Parameters: $type STRING; $rows LIST<MAP {source, target STRING (ids); properties MAP}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.source})
MATCH (b:Overstory {id: row.target})
CREATE (a)-[r:$($type)]->(b)
SET r = row.properties
