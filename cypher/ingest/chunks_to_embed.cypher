// The next chunks that the embed stage has to look at.
// Parameters: $limit INTEGER
// Rows: id, title, heading, text STRING; boilerplate LIST<INTEGER> (its spans); token_count INTEGER
MATCH (c:{{corpus}}_Unembedded:{{corpus}}_Chunk)
WITH c LIMIT $limit
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text,
  coalesce(c.boilerplate, []) AS boilerplate, c.token_count AS token_count
