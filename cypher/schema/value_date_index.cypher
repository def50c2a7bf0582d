// Values of metadata of a corpus by their key, in order: those of the type date.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_value_dates IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.date)
