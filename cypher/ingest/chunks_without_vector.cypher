// The next page of chunks whose vector another embedder has yet to make.
// Parameters: $property STRING (where it goes), $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: id, title, heading, text, vector STRING (id of the node that holds it); boilerplate LIST<INTEGER> (its spans);
//   token_count INTEGER; ordered by id
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
  AND EXISTS { (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector) WHERE v[$property] IS NULL }
WITH c ORDER BY c.corpus, c.id LIMIT $limit
MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text, v.id AS vector,
  coalesce(c.boilerplate, []) AS boilerplate, c.token_count AS token_count
ORDER BY id
