// The vectors of passages by their corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_passage_vectors IF NOT EXISTS FOR (v:PassageVector) ON (v.corpus)
