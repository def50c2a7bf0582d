// One corpus.
// Parameters: $id STRING
// Rows: corpus MAP (the properties); one, or none if there is no such corpus
MATCH (corpus:Overstory:Corpus {id: $id})
RETURN properties(corpus) AS corpus
