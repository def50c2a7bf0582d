// Counts the disabled documents of a corpus again, in the transaction that changes which these are.
// Parameters: none
// Rows: none
MATCH (d:{{corpus}}_Disabled)
WITH count(d) AS disabled
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.disabled = disabled
