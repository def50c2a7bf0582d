// Ties leaves of a tree to what they stand for.
// Parameters: $rows LIST<MAP {id, unit STRING}>; $labels LIST<STRING> (with which a leaf goes when its unit does)
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}), (unit:Overstory {id: row.unit})
SET t:$($labels)
MERGE (t)-[:COVERS]->(unit)
