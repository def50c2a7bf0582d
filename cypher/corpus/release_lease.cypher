// Gives the writer lease back.
// Parameters: $token STRING
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
REMOVE corpus.writer_token, corpus.writer_holder, corpus.writer_host, corpus.writer_pid, corpus.writer_started,
  corpus.writer_doing, corpus.writer_since, corpus.writer_until, corpus.writer_checked
