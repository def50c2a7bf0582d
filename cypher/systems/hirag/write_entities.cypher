// Writes entities of a generation, each with all of its properties.
// Parameters: $rows LIST<MAP {id STRING; properties MAP; vector LIST<FLOAT>}>; $labels LIST<STRING> (with their slot)
// Rows: none
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
SET e += row.properties, e:HiragEntity:$($corpus):$($corpus + '_HiragEntity'):$($corpus + '_Derived'), e:$($labels)
WITH e, row
CALL db.create.setNodeVectorProperty(e, 'embedding', row.vector)
