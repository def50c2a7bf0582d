// Deletes an emptied corpus.
// Parameters: $id, $token STRING
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $id}) WHERE corpus.writer_token = $token
DETACH DELETE corpus
