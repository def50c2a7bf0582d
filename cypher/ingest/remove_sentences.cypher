// Deletes sentences.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:{{corpus}}_Sentence
DETACH DELETE s
