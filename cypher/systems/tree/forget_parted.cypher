// Takes note that what communities lost has been taken account of.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (t:Overstory {id: id, corpus: $corpus}) WHERE $corpus + '_Parted' IN labels(t)
REMOVE t:$($corpus + '_Parted')
