// The names of some corpora.
// Parameters: none
// Rows: name STRING; ordered, at most 20
MATCH (corpus:Overstory:Corpus)
RETURN corpus.name AS name ORDER BY name LIMIT 20
