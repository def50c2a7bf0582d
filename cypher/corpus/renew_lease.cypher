// Keeps the writer lease.
// Parameters: $token STRING; $seconds INTEGER
// Rows: id STRING; one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
SET corpus.writer_until = datetime() + duration({seconds: $seconds})
RETURN corpus.id AS id
