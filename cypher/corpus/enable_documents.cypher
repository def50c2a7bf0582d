// Enables documents that were disabled.
// Parameters: $ids LIST<STRING>
// Rows: changed INTEGER; one
UNWIND $ids AS id
MATCH (d:Overstory {id: id, corpus: $corpus}) WHERE d.disabled
REMOVE d.disabled, d:$($corpus + '_Disabled')
RETURN count(d) AS changed
