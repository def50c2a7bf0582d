// Changes properties of a corpus by its writer, and counts as a change.
// Parameters: $id, $token STRING; $properties MAP
// Rows: corpus MAP (its properties); one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $id}) WHERE corpus.writer_token = $token
SET corpus += $properties, corpus.version = corpus.version + 1
RETURN properties(corpus) AS corpus
