// Deletes documents whose chunks are gone.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:{{corpus}}_Document
DETACH DELETE d
