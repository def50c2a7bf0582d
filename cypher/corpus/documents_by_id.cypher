// Some documents.
// Parameters: $ids LIST<STRING>
// Rows: document MAP (the properties); none for those that are not stored
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
RETURN properties(d) AS document
