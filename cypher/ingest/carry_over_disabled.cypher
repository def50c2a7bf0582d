// Disables documents that disabled ones moved to.
// Parameters: $rows LIST<MAP {old, new STRING (ids of documents)}>
// Rows: none
UNWIND $rows AS row
MATCH (old:Overstory {id: row.old}) WHERE old:{{corpus}}_Disabled
MATCH (new:Overstory {id: row.new}) WHERE new:{{corpus}}_Document
SET new.disabled = true, new:{{corpus}}_Disabled
