// Deletes those keys of metadata that no document has any more.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (k:Overstory {id: id}) WHERE k:{{corpus}}_MetadataKey AND k.documents <= 0
DETACH DELETE k
