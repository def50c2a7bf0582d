// Takes the mark off chunks whose names were edited.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id})
REMOVE c:$($corpus + '_Renamed')
