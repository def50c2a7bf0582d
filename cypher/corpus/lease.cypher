// -- corpus/acquire_lease
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

// -- corpus/commit
// Ends every write to a corpus: proves that the writer still holds the lease, counts the change, and keeps the numbers that
// questions need, all from the counts that the server keeps. Last in its transaction, because it locks the corpus.
// Parameters: $token STRING; $properties MAP (of the corpus, to be changed)
// Rows: corpus MAP (its properties); one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
WITH corpus,
  COUNT { (:{{corpus}}_Document) } AS documents,
  COUNT { (:{{corpus}}_Chunk) } AS chunks,
  COUNT { (:{{corpus}}_Entity) } AS entities,
  COUNT { (:{{corpus}}_Document)-[:LINKS]->() } AS links,
  COUNT { (:{{corpus}}_Changed) } AS changed,
  COUNT { (:{{corpus}}_Stale) } AS stale,
  COUNT { (:{{corpus}}_Disabled) } AS disabled,
  COUNT { (:{{corpus}}_BoilerplateOnly) } AS boilerplate_only
SET corpus += $properties, corpus.version = corpus.version + 1, corpus.documents = documents, corpus.chunks = chunks,
  corpus.entities = entities, corpus.links = links, corpus.changed = changed, corpus.stale = stale,
  corpus.disabled = disabled, corpus.boilerplate_only = boilerplate_only
RETURN properties(corpus) AS corpus

// -- corpus/delete
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

// -- corpus/read_writer
// Who writes to a corpus.
// Parameters: none
// Rows: token, doing, holder, host STRING; pid INTEGER; started FLOAT; one, or none if nobody does
MATCH (corpus:Overstory:Corpus {id: $corpus})
WHERE corpus.writer_token IS NOT NULL AND corpus.writer_until >= datetime()
RETURN corpus.writer_token AS token, corpus.writer_doing AS doing, corpus.writer_holder AS holder,
  corpus.writer_host AS host, corpus.writer_pid AS pid, corpus.writer_started AS started

// -- corpus/release_lease
// Gives the writer lease back.
// Parameters: $token STRING
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
REMOVE corpus.writer_token, corpus.writer_holder, corpus.writer_host, corpus.writer_pid, corpus.writer_started,
  corpus.writer_doing, corpus.writer_since, corpus.writer_until, corpus.writer_checked

// -- corpus/renew_lease
// Keeps the writer lease.
// Parameters: $token STRING; $seconds INTEGER
// Rows: id STRING; one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
SET corpus.writer_until = datetime() + duration({seconds: $seconds})
RETURN corpus.id AS id
