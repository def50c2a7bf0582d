// -- systems/hirag/known_entities
// Select the ids of existing entities of the corpus.
// Parameters: $ids LIST<STRING> (of entities)
// Rows: id STRING
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
RETURN id

// -- systems/hirag/readings
// Read the next page of a language model's readings, by chunk id.
// Parameters: $after STRING (last chunk id of the previous page); $limit INTEGER; $by STRING (fingerprint of the
//   reader)
// Rows: id STRING (of a chunk); found STRING (JSON); rules BOOLEAN (rules must read the chunk, too)
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
  AND EXISTS { (c)<-[:READ_IN]-(r:Overstory:HiragReading) WHERE r.touched = c.touched AND r.by = $by }
WITH c ORDER BY c.corpus, c.id LIMIT $limit
MATCH (c)<-[:READ_IN]-(r:Overstory:HiragReading)
RETURN c.id AS id, r.found AS found, r.rules AS rules ORDER BY id

// -- systems/hirag/count_unread
// Count the documents with a chunk that the language model has not read in its current form.
// Parameters: $by STRING (fingerprint of the reader)
// Rows: documents INTEGER; one row
MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
WHERE NOT EXISTS { (c)<-[:READ_IN]-(r:{{corpus}}_HiragReading) WHERE r.touched = c.touched AND r.by = $by }
RETURN count(DISTINCT d) AS documents

// -- systems/hirag/documents
// Read some documents with their chunks.
// Parameters: $ids LIST<STRING>
// Rows: id, title STRING; chunks LIST<MAP {id, text STRING; boilerplate LIST<INTEGER> (spans); seq, touched INTEGER}>
//   (unordered); in the order of $ids
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  MATCH (c:Overstory:Chunk)-[:PART_OF]->(d)
  RETURN collect({
    id: c.id, text: c.text, boilerplate: coalesce(c.boilerplate, []), seq: c.seq, touched: c.touched
  }) AS chunks
}
RETURN d.id AS id, coalesce(d.title, '') AS title, chunks ORDER BY id

// -- systems/hirag/unread_documents
// Find the documents with unread chunks, within a page of chunks.
// Parameters: $after STRING (last chunk id of the previous page); $limit INTEGER (chunks); $by STRING (fingerprint of
//   the reader)
// Rows: id STRING (of a chunk); document STRING (id)
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
  AND NOT EXISTS { (c)<-[:READ_IN]-(r:Overstory:HiragReading) WHERE r.touched = c.touched AND r.by = $by }
WITH c ORDER BY c.corpus, c.id LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
RETURN c.id AS id, d.id AS document ORDER BY id

// -- systems/hirag/write_readings
// Replace the language model's readings of chunks. A reading is deleted with any chunk of its window, because its words
// may come from there; the other chunks are then read again.
// Parameters: $by STRING (fingerprint of the reader); $rows LIST<MAP {id, chunk, found STRING (JSON); touched INTEGER;
//   rules BOOLEAN (rules must read the chunk, too); read_with LIST<STRING> (ids of the other chunks of the window)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
MERGE (r:Overstory {id: row.id})
SET r:HiragReading:$($corpus):$($corpus + '_HiragReading'):OfChunk,
  r.corpus = $corpus, r.by = $by, r.found = row.found, r.touched = row.touched, r.rules = row.rules
MERGE (r)-[:READ_IN]->(c)
WITH r, row
CALL (r) {
  MATCH (r)-[before:READ_WITH]->(:Overstory:Chunk)
  DELETE before
}
UNWIND row.read_with AS id
MATCH (other:Overstory {id: id}) WHERE other:Chunk AND other.corpus = $corpus
MERGE (r)-[:READ_WITH]->(other)
