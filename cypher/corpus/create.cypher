// Creates a corpus, or leaves an existing one as it is.
// Parameters: $name, $analyzer, $sectioned_by STRING
// Rows: corpus MAP (its properties); one
MERGE (corpus:Overstory {id: $corpus})
ON CREATE SET corpus:Corpus:$($corpus), corpus.name = $name, corpus.corpus = $corpus, corpus.created = datetime(),
  corpus.version = 0, corpus.documents = 0, corpus.chunks = 0, corpus.entities = 0, corpus.links = 0, corpus.changed = 0,
  corpus.stale = 0, corpus.boilerplate_only = 0, corpus.analyzer = $analyzer, corpus.sectioned_by = $sectioned_by,
  corpus.embedding_property = 'embedding'
RETURN properties(corpus) AS corpus
