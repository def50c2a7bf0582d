// Creates a corpus, or leaves an existing one as it is.
// Parameters: $id, $name, $label, $analyzer, $sectioned_by STRING
// Rows: corpus MAP (its properties); one
MERGE (corpus:Overstory {id: $id})
ON CREATE SET corpus:Corpus:{{corpus}}, corpus.name = $name, corpus.corpus = $label, corpus.created = datetime(),
  corpus.version = 0, corpus.analyzer = $analyzer, corpus.sectioned_by = $sectioned_by,
  corpus.embedding_property = 'embedding'
RETURN properties(corpus) AS corpus
