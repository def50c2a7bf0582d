// Some entities of layer 0 with what is said of them, which tell what descriptions have in common everywhere.
// Parameters: $generation INTEGER; $limit INTEGER
// Rows: ref, key, name, text STRING
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
WHERE e.layer = 0
WITH e LIMIT $limit
MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
RETURN e.ref AS ref, e.key AS key, e.name AS name, d.text AS text ORDER BY ref
