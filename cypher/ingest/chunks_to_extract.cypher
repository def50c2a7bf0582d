// The next page of chunks that this extractor has not read.
// Parameters: $fingerprint, $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: id, title, heading, text STRING; language STRING or null; boilerplate LIST<INTEGER> (its spans); ordered by id
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL AND coalesce(c.extracted, '') <> $fingerprint
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text,
  c.language AS language, coalesce(c.boilerplate, []) AS boilerplate
ORDER BY c.corpus, c.id LIMIT $limit
