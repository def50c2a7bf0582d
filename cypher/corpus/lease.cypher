// -- corpus/acquire_lease
// Take the writer lease if it is free, has expired, or belongs to a dead process.
// Parameters: $token, $holder, $host, $doing STRING; $pid INTEGER; $started FLOAT; $seconds INTEGER;
//   $abandoned STRING (token of a lease whose holder is dead, or "")
// Rows: granted BOOLEAN; corpus MAP (its properties); token, holder, host, doing STRING, pid INTEGER, started FLOAT,
//   since DATETIME (of the current holder); one row, or none if the corpus does not exist
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.writer_checked = datetime() // locks the corpus before reading its lease
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
// End every write to a corpus: check that the writer still holds the lease, raise the version, and store the counts
// that questions need. Run it last in its transaction, because it locks the corpus.
// Parameters: $token STRING; $properties MAP (properties of the corpus to change)
// Rows: corpus MAP (its properties); one row, or none if another writer has the lease
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
// Delete an emptied corpus. Its set of full-text indexes becomes free once it has been checked.
// Parameters: $token STRING
// Rows: id STRING; one row, or none if another writer has the lease
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
OPTIONAL MATCH (indexes:Overstory {id: 'index-set-' + corpus.index_set})
REMOVE indexes.lent_to
SET indexes.ready = false
WITH corpus, corpus.id AS id
DETACH DELETE corpus
RETURN id

// -- corpus/read_writer
// Read the current writer of the corpus.
// Parameters: none
// Rows: token, doing, holder, host STRING; pid INTEGER; started FLOAT; one row, or none if there is no writer
MATCH (corpus:Overstory:Corpus {id: $corpus})
WHERE corpus.writer_token IS NOT NULL AND corpus.writer_until >= datetime()
RETURN corpus.writer_token AS token, corpus.writer_doing AS doing, corpus.writer_holder AS holder,
  corpus.writer_host AS host, corpus.writer_pid AS pid, corpus.writer_started AS started

// -- corpus/release_lease
// Return the writer lease.
// Parameters: $token STRING
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
REMOVE corpus.writer_token, corpus.writer_holder, corpus.writer_host, corpus.writer_pid, corpus.writer_started,
  corpus.writer_doing, corpus.writer_since, corpus.writer_until, corpus.writer_checked

// -- corpus/renew_lease
// Renew the writer lease.
// Parameters: $token STRING; $seconds INTEGER
// Rows: id STRING; one row, or none if another writer has the lease
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
SET corpus.writer_until = datetime() + duration({seconds: $seconds})
RETURN corpus.id AS id
