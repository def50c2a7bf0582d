// The labels that nodes of any corpus have, from the store's counts: no node is read.
// Parameters: none
// Rows: label STRING
CALL db.labels() YIELD label
WITH label WHERE label STARTS WITH 'Corpus_'
RETURN label
