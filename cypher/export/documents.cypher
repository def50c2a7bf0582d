// The next page of documents.
// Parameters: $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: document MAP (the properties); ordered by id
MATCH (d:{{corpus}}_Document) WHERE d.id > $after
RETURN properties(d) AS document ORDER BY d.id LIMIT $limit
