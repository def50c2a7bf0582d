// The next page of the documents whose sources are in a range.
// Parameters: $least STRING (the least source); $before STRING (the source that all come before); $limit INTEGER
// Rows: document MAP (the properties); ordered by source and key
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source >= $least AND d.source < $before AND d.source_key IS NOT NULL
RETURN properties(d) AS document ORDER BY d.corpus, d.source, d.source_key LIMIT $limit
