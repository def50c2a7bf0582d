// Takes the writer lease if it is free, has run out, or belongs to a process that is known to be dead.
// Parameters: $token, $holder, $host, $doing STRING; $pid INTEGER; $started FLOAT; $seconds INTEGER;
//   $abandoned STRING (token of a lease whose holder is dead, or "")
// Rows: granted BOOLEAN; corpus MAP (its properties); token, holder, host, doing STRING; pid INTEGER; started FLOAT;
//   since DATETIME: of who holds the lease now; one, or none if there is no such corpus
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.writer_checked = datetime() // locks the corpus before its lease is looked at
WITH corpus, corpus.writer_token IS NULL OR corpus.writer_until < datetime()
  OR corpus.writer_token IN [$abandoned, $token] AS granted
FOREACH (_ IN CASE WHEN granted THEN [1] ELSE [] END |
  SET corpus.writer_token = $token, corpus.writer_holder = $holder, corpus.writer_host = $host,
    corpus.writer_pid = $pid, corpus.writer_started = $started, corpus.writer_doing = $doing,
    corpus.writer_since = datetime(), corpus.writer_until = datetime() + duration({seconds: $seconds})
)
RETURN granted, properties(corpus) AS corpus,
  corpus.writer_token AS token, corpus.writer_holder AS holder, corpus.writer_host AS host,
  corpus.writer_doing AS doing, corpus.writer_pid AS pid, corpus.writer_started AS started,
  toString(corpus.writer_since) AS since
