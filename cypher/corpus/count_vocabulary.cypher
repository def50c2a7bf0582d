// Writes how many times vocabularies were changed.
// Parameters: $loads INTEGER
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
SET corpus.vocabularies = $loads
