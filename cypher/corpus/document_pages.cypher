// The next page of documents.
// Parameters: $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: document MAP (the properties); ordered by id
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > $after AND d.sha256 IS NOT NULL
RETURN properties(d) AS document ORDER BY d.corpus, d.id LIMIT $limit
