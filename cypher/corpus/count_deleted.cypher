// Counts units that were deleted in this transaction: what was built over them is out of date.
// Parameters: $documents, $chunks, $entities INTEGER
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.deleted_documents = coalesce(corpus.deleted_documents, 0) + $documents,
  corpus.deleted_chunks = coalesce(corpus.deleted_chunks, 0) + $chunks,
  corpus.deleted_entities = coalesce(corpus.deleted_entities, 0) + $entities
