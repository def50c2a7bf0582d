// Deletes an emptied corpus, whose set of full-text indexes another one may have once it was looked at.
// Parameters: $token STRING
// Rows: id STRING; one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
OPTIONAL MATCH (indexes:Overstory {id: 'index-set-' + corpus.index_set})
REMOVE indexes.lent_to
SET indexes.ready = false
WITH corpus, corpus.id AS id
DETACH DELETE corpus
RETURN id
