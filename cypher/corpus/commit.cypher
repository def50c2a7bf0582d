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
