// Writes how many times vocabularies were changed.
// Parameters: $loads INTEGER
// Rows: none
MATCH (corpus:Corpus:{{corpus}})
SET corpus.vocabularies = $loads
