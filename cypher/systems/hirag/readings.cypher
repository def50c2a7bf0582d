// What a language model read, a page of chunks in order of id.
// Parameters: $after STRING (id of the last chunk before); $limit INTEGER; $by STRING (the reader's fingerprint)
// Rows: id STRING (of a chunk); found STRING (JSON); rules BOOLEAN (rules are to read the chunk, too)
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
  AND EXISTS { (c)<-[:READ_IN]-(r:Overstory:HiragReading) WHERE r.touched = c.touched AND r.by = $by }
WITH c ORDER BY c.corpus, c.id LIMIT $limit
MATCH (c)<-[:READ_IN]-(r:Overstory:HiragReading)
RETURN c.id AS id, r.found AS found, r.rules AS rules ORDER BY id
