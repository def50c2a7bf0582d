// How many documents a corpus has.
// Parameters: none
// Rows: documents INTEGER; one, also for a corpus that was just deleted
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
RETURN coalesce(corpus.documents, 0) AS documents
