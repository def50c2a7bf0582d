// Ties leaves of a tree to what they stand for; of a leaf whose unit was deleted and came back it takes off what tells so.
// Parameters: $rows LIST<MAP {id, unit STRING}>; $labels LIST<STRING> (with which a leaf goes when its unit does)
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id, corpus: $corpus})
MATCH (unit:Overstory {id: row.unit, corpus: $corpus})
SET t:$($labels)
REMOVE t:$($corpus + '_Uncovered'), t.unit, t.layer, t.ends, t.ties, t.weights
MERGE (t)-[:COVERS]->(unit)
