// The next page of chunks that no extractor has read, where they are few.
// Parameters: $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: id, title, heading, text STRING; language STRING or null; boilerplate LIST<INTEGER> (its spans); ordered by id
MATCH (c:{{corpus}}_Unread:{{corpus}}_Chunk)
USING SCAN c:{{corpus}}_Unread
WHERE c.id > $after
WITH c ORDER BY c.id LIMIT $limit
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text,
  c.language AS language, coalesce(c.boilerplate, []) AS boilerplate
ORDER BY id
