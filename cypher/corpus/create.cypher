// Creates a corpus with a set of full-text indexes that is free, or leaves an existing corpus as it is.
// Parameters: $name, $analyzer, $sectioned_by STRING
// Rows: corpus MAP (its properties); one, or none if no set is free
MATCH (meta:Overstory {id: 'meta'})
SET meta.index_sets = coalesce(meta.index_sets, 0) // locks: one corpus at a time takes a set
WITH meta, EXISTS { (:Overstory:Corpus {id: $corpus}) } AS known
CALL (known) {
  WITH known WHERE NOT known
  MATCH (indexes:Overstory:IndexSet) WHERE indexes.ready AND indexes.lent_to IS NULL
  WITH indexes ORDER BY indexes.number LIMIT 1
  SET indexes.lent_to = $corpus
  MERGE (corpus:Overstory {id: $corpus})
  SET corpus:Corpus:$($corpus), corpus.name = $name, corpus.corpus = $corpus, corpus.created = datetime(),
    corpus.version = 0, corpus.documents = 0, corpus.chunks = 0, corpus.entities = 0, corpus.links = 0,
    corpus.changed = 0, corpus.stale = 0, corpus.boilerplate_only = 0, corpus.index_set = indexes.number,
    corpus.analyzer = $analyzer, corpus.sectioned_by = $sectioned_by, corpus.embedding_property = 'embedding'
}
WITH meta
MATCH (corpus:Overstory:Corpus {id: $corpus})
RETURN properties(corpus) AS corpus
