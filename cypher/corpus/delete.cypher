// Deletes an emptied corpus.
// Parameters: $token STRING
// Rows: id STRING; one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
WITH corpus, corpus.id AS id
DETACH DELETE corpus
RETURN id
