// The next page of chunks that lack a vector.
// Parameters: $property, $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: id, title, heading, text STRING; boilerplate LIST<INTEGER> (its spans); token_count INTEGER; ordered by id
MATCH (c:Overstory {corpus: '{{corpus}}'})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL AND c[$property] IS NULL AND NOT c:{{corpus}}_BoilerplateOnly
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text,
  coalesce(c.boilerplate, []) AS boilerplate, c.token_count AS token_count
ORDER BY c.corpus, c.id LIMIT $limit
