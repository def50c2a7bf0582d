// Writes nodes of a tree, each with all of its properties.
// Parameters: $rows LIST<MAP {id STRING, properties MAP}>; $labels LIST<STRING> (of the system that the tree is of)
// Rows: none
UNWIND $rows AS row
MERGE (t:Overstory {id: row.id})
SET t += row.properties, t:TreeNode:$($corpus):$($corpus + '_TreeNode'):$($corpus + '_Derived'), t:$($labels)
