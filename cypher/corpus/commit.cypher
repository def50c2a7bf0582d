// Ends every write to a corpus: proves that the writer still holds the lease, counts the change, and keeps the numbers that
// questions need, all from the counts that the server keeps. Last in its transaction, because it locks the corpus.
// Parameters: $token STRING; $properties MAP (of the corpus, to be changed)
// Rows: corpus MAP (its properties); one, or none if the lease went to somebody else
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
CALL () { MATCH (n:{{corpus}}_Document) RETURN count(n) AS documents }
CALL () { MATCH (n:{{corpus}}_Chunk) RETURN count(n) AS chunks }
CALL () { MATCH (n:{{corpus}}_Entity) RETURN count(n) AS entities }
CALL () { MATCH (:{{corpus}}_Document)-[l:LINKS]->() RETURN count(l) AS links }
CALL () { MATCH (n:{{corpus}}_Changed) RETURN count(n) AS changed }
CALL () { MATCH (n:{{corpus}}_Stale) RETURN count(n) AS stale }
CALL () { MATCH (n:{{corpus}}_Disabled) RETURN count(n) AS disabled }
CALL () { MATCH (n:{{corpus}}_BoilerplateOnly) RETURN count(n) AS boilerplate_only }
SET corpus += $properties, corpus.version = corpus.version + 1, corpus.documents = documents, corpus.chunks = chunks,
  corpus.entities = entities, corpus.links = links, corpus.changed = changed, corpus.stale = stale,
  corpus.disabled = disabled, corpus.boilerplate_only = boilerplate_only
RETURN properties(corpus) AS corpus
