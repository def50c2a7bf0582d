// Documents of a page of chunks that no language model has read as they are now, by order of chunk.
// Parameters: $after STRING (id of the last chunk before); $limit INTEGER (chunks); $by STRING (the reader's fingerprint)
// Rows: id STRING (of a chunk); document STRING (id)
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
  AND NOT EXISTS { (c)<-[:READ_IN]-(r:Overstory:HiragReading) WHERE r.touched = c.touched AND r.by = $by }
WITH c ORDER BY c.corpus, c.id LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
RETURN c.id AS id, d.id AS document ORDER BY id
