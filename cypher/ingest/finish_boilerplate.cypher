// Takes the mark off documents whose boilerplate is marked.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (d:Overstory {id: id})
REMOVE d:$($corpus + '_BoilerplateStale')
