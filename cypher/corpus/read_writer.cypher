// Who writes to a corpus.
// Parameters: none
// Rows: token, doing, holder, host STRING; pid INTEGER; started FLOAT; one, or none if nobody does
MATCH (corpus:Overstory:Corpus {id: $corpus})
WHERE corpus.writer_token IS NOT NULL AND corpus.writer_until >= datetime()
RETURN corpus.writer_token AS token, corpus.writer_doing AS doing, corpus.writer_holder AS holder,
  corpus.writer_host AS host, corpus.writer_pid AS pid, corpus.writer_started AS started
