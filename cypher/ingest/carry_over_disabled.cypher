// Disables documents that disabled ones moved to.
// Parameters: $rows LIST<MAP {old, new STRING (ids of documents)}>
// Rows: none
UNWIND $rows AS row
MATCH (old:Overstory {id: row.old}) WHERE old.disabled
MATCH (new:Overstory {id: row.new}) WHERE new:Document AND new.corpus = $corpus
SET new.disabled = true, new:$($corpus + '_Disabled')
