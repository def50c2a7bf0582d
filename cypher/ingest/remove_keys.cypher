// Deletes those keys of metadata that no document has any more.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (k:Overstory {id: id}) WHERE k:MetadataKey AND k.corpus = $corpus AND k.documents <= 0
DETACH DELETE k
