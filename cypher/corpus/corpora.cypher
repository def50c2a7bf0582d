// -- corpus/terminate
// Terminate the transactions of a caller that no longer waits for them.
// Parameters: $mark STRING (`marked` in the metadata of these transactions)
// Rows: message STRING; one row per transaction
SHOW TRANSACTIONS YIELD transactionId AS id, metaData
WHERE metaData.marked = $mark
TERMINATE TRANSACTIONS id YIELD message
RETURN message

// -- corpus/count_deleted
// Count units that were deleted in this transaction, because indexes built over them are now out of date.
// Parameters: $documents, $chunks, $entities INTEGER
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.deleted_documents = coalesce(corpus.deleted_documents, 0) + $documents,
  corpus.deleted_chunks = coalesce(corpus.deleted_chunks, 0) + $chunks,
  corpus.deleted_entities = coalesce(corpus.deleted_entities, 0) + $entities

// -- corpus/create
// Create a corpus with a free set of full-text indexes, or leave an existing corpus as it is.
// Parameters: $name, $analyzer, $sectioned_by STRING
// Rows: corpus MAP (its properties); one row, or none if no set is free
MATCH (meta:Overstory {id: 'meta'})
SET meta.index_sets = coalesce(meta.index_sets, 0) // lock: one corpus at a time takes a set
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

// -- corpus/list
// List all corpora with their sizes.
// Parameters: none
// Rows: corpus MAP (the properties), documents INTEGER, chunks INTEGER; ordered by name
MATCH (corpus:Overstory:Corpus)
OPTIONAL MATCH (d:Overstory {id: corpus.unfinished})
RETURN properties(corpus) AS corpus, coalesce(corpus.documents, 0) AS documents,
  coalesce(corpus.chunks, 0) - CASE WHEN d IS NULL THEN 0 ELSE COUNT { (d)<-[:PART_OF]-() } END AS chunks
ORDER BY corpus.name

// -- corpus/names
// List the names of up to 20 corpora.
// Parameters: none
// Rows: name STRING; ordered
MATCH (corpus:Overstory:Corpus)
RETURN corpus.name AS name ORDER BY name LIMIT 20

// -- corpus/read
// Read the properties of the corpus.
// Parameters: none
// Rows: corpus MAP (the properties), schema INTEGER (of the whole graph); one row, or none if there is no such corpus
MATCH (corpus:Overstory:Corpus {id: $corpus})
MATCH (meta:Overstory {id: 'meta'})
RETURN properties(corpus) AS corpus, meta.schema AS schema

// -- corpus/delete_generation
// Delete derived nodes of every generation but one. Commits in batches.
// Parameters: $name STRING (name of the derived structure: a tree, communities, …); $keep INTEGER (the generation to
//   keep)
// Rows: none
MATCH (n:{{corpus}}_Derived) WHERE n.derived = $name AND n.generation <> $keep
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS

// -- corpus/used_generations
// List the generations of a derived structure that have nodes in the graph.
// Parameters: $name STRING
// Rows: generation INTEGER; ordered
MATCH (n:{{corpus}}_Derived) WHERE n.derived = $name
RETURN DISTINCT n.generation AS generation ORDER BY generation
