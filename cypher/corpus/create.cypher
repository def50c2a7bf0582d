// Creates a corpus, with a set of full-text indexes if one is free; an existing corpus that has one is left as it is.
// Parameters: $name, $analyzer, $sectioned_by STRING
// Rows: corpus MAP (its properties); one
MATCH (meta:Overstory {id: 'meta'})
SET meta.index_sets = coalesce(meta.index_sets, 0) // locks: one corpus at a time takes a set
MERGE (corpus:Overstory {id: $corpus})
ON CREATE SET corpus:Corpus:$($corpus), corpus.name = $name, corpus.corpus = $corpus, corpus.created = datetime(),
  corpus.version = 0, corpus.documents = 0, corpus.chunks = 0, corpus.entities = 0, corpus.links = 0, corpus.changed = 0,
  corpus.stale = 0, corpus.boilerplate_only = 0, corpus.analyzer = $analyzer, corpus.sectioned_by = $sectioned_by,
  corpus.embedding_property = 'embedding'
WITH corpus
CALL (corpus) {
  WITH corpus WHERE corpus.index_set IS NULL
  MATCH (indexes:IndexSet) WHERE indexes.ready AND indexes.lent_to IS NULL
  WITH corpus, indexes ORDER BY indexes.number LIMIT 1
  SET indexes.lent_to = $corpus, corpus.index_set = indexes.number
}
RETURN properties(corpus) AS corpus
