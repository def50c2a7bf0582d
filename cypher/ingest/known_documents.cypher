// What is stored of some documents.
// Parameters: $ids LIST<STRING>
// Rows: id, sha256 STRING; none for those that are not stored
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:{{corpus}}_Document
RETURN d.id AS id, d.sha256 AS sha256
