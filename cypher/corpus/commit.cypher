// Ends every write to a corpus: proves that the writer still holds the lease, and counts the change. Last in its
// transaction, because it locks the corpus.
// Parameters: $id, $token STRING
// Rows: corpus MAP (its properties); one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $id}) WHERE corpus.writer_token = $token
SET corpus.version = corpus.version + 1
RETURN properties(corpus) AS corpus
