// The next page of chunks that this extractor has not read.
// Parameters: $fingerprint, $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: id, title, heading, text STRING; ordered by id
MATCH (c:{{corpus}}_Chunk) WHERE c.id > $after AND coalesce(c.extracted, '') <> $fingerprint
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text
ORDER BY c.id LIMIT $limit
