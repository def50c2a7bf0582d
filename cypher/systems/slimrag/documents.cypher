// Documents that SlimRAG has not read, or all of them, with their chunks: a page in order of id.
// Parameters: $after STRING (the last id of the page before, "" for the first); $limit INTEGER; $everything BOOLEAN
// Rows: id, title STRING; chunks LIST<MAP {id, text STRING; seq INTEGER}>, in no particular order
MATCH (d:Overstory {corpus: '{{corpus}}'})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > $after AND d.sha256 IS NOT NULL AND ($everything OR NOT d:{{corpus}}_SlimRead)
WITH d ORDER BY d.corpus, d.id LIMIT $limit
CALL (d) {
  MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(d)
  RETURN collect({id: c.id, text: c.text, seq: c.seq}) AS chunks
}
RETURN d.id AS id, d.title AS title, chunks ORDER BY id
