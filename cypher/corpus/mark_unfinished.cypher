// Notes which new document is being written in several transactions; last but one in a transaction, because it locks the
// corpus.
// Parameters: $document STRING (its id), or null: none any more
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.unfinished = $document
