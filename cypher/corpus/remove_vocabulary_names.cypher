// Removes names of vocabularies.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:VocabularyName AND v.corpus = $corpus
DELETE v
