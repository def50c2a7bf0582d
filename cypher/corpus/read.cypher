// One corpus.
// Parameters: none
// Rows: corpus MAP (the properties), schema INTEGER (of the whole graph); one, or none if there is no such corpus
MATCH (corpus:Overstory:Corpus {id: $corpus})
MATCH (meta:Overstory {id: 'meta'})
RETURN properties(corpus) AS corpus, meta.schema AS schema
