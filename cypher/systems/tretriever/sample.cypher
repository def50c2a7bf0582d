// The first documents in order of id, which is a random one: ids are digests.
// Parameters: $limit INTEGER
// Rows: id STRING
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
RETURN d.id AS id ORDER BY d.corpus, d.id LIMIT $limit
