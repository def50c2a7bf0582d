// Forgets files that could not be read, since they were read, or are gone.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (f:Overstory {id: id}) WHERE f:FailedFile AND f.corpus = $corpus
DETACH DELETE f
