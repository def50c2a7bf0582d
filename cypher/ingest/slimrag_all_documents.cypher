// All documents with their chunks, to be read by SlimRAG: a page in order of id.
// Parameters: $after STRING (the last id of the page before, "" for the first); $limit INTEGER
// Rows: id, title STRING; tokens INTEGER; chunks LIST<MAP {id, text STRING; seq INTEGER}>, in no particular order
MATCH (d:{{corpus}}_Document) WHERE d.id > $after
WITH d ORDER BY d.id LIMIT $limit
CALL (d) {
  MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(d)
  RETURN collect({id: c.id, text: c.text, seq: c.seq}) AS chunks, sum(c.token_count) AS tokens
}
RETURN d.id AS id, d.title AS title, tokens, chunks ORDER BY id
