// Parts all documents from the values of their metadata, some of which a million documents share; commits as it goes.
// Parameters: none
// Rows: none
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
CALL (d) { MATCH (d)-[tie:HAS_VALUE]->(:Overstory:MetadataValue) DELETE tie } IN TRANSACTIONS OF 1000 ROWS
