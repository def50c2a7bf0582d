// The ids of all chunks of a corpus.
// Parameters: none
// Rows: id STRING
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN c.id AS id
