// Values of metadata of a corpus by their key, in order: those of the type text.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_value_texts IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.text)
