// Deletes an emptied corpus.
// Parameters: $id, $token STRING
// Rows: id STRING; one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $id}) WHERE corpus.writer_token = $token
WITH corpus, corpus.id AS id
DETACH DELETE corpus
RETURN id
