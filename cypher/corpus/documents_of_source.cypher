// The next page of the documents of one source.
// Parameters: $source STRING; $least STRING (the least key); $limit INTEGER
// Rows: document MAP (the properties); ordered by key
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source = $source AND d.source_key >= $least
RETURN properties(d) AS document ORDER BY d.corpus, d.source, d.source_key LIMIT $limit
