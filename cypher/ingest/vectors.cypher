// -- ingest/chunks_to_annotate
// The chunks of the documents that annotations are about.
// Parameters: $rows LIST<MAP {source, source_key, id STRING}> (id of the document, or "" to find it by its key)
// Rows: source, source_key (as given), document, chunk, text STRING; the chunks of a document in order
UNWIND $rows AS row
CALL (row) {
  WITH row WHERE row.id <> ''
  MATCH (d:Overstory {id: row.id})
  RETURN d
  UNION
  WITH row WHERE row.id = ''
  MATCH (d:Overstory {corpus: $corpus, source_key: row.source_key})
  RETURN d
}
MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
RETURN row.source AS source, row.source_key AS source_key, d.id AS document, c.id AS chunk, c.text AS text
ORDER BY document, c.seq

// -- ingest/chunks_to_embed
// The next chunks that the embed stage has to look at.
// Parameters: $limit INTEGER
// Rows: id, title, heading, text STRING; boilerplate LIST<INTEGER> (its spans); token_count INTEGER
MATCH (c:{{corpus}}_Unembedded:{{corpus}}_Chunk)
WITH c LIMIT $limit
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text,
  coalesce(c.boilerplate, []) AS boilerplate, c.token_count AS token_count

// -- ingest/chunks_without_vector
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

// -- ingest/count_without_vector
// How many vectors another embedder has yet to make, and for how many chunks.
// Parameters: $property STRING (where they go)
// Rows: vectors, chunks INTEGER; one row
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
WHERE v[$property] IS NULL
RETURN count(v) AS vectors, sum(COUNT { (v)<-[:HAS_VECTOR]-() }) AS chunks

// -- ingest/join_vectors
// Joins chunks to their stored vectors, and takes the mark of the embed stage off them.
// Parameters: $rows LIST<MAP {id STRING (of a chunk); vector STRING (its id), or null: the chunk is to have none}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.touched = corpus.version + 1
REMOVE c:$($corpus + '_Unembedded')
WITH c, row
MATCH (v:Overstory {id: row.vector}) WHERE v:PassageVector AND v.corpus = $corpus
MERGE (c)-[:HAS_VECTOR]->(v)

// -- ingest/known_vectors
// Which of some vectors are stored.
// Parameters: $ids LIST<STRING> (of vectors); $property STRING (where they are)
// Rows: id STRING
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:PassageVector AND v.corpus = $corpus AND v[$property] IS NOT NULL
RETURN id

// -- ingest/remove_vectors
// Removes an embedder's vectors; commits as it goes.
// Parameters: $property STRING (where they are)
// Rows: none
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
WHERE v[$property] IS NOT NULL
CALL (v) { REMOVE v[$property] } IN TRANSACTIONS OF 5000 ROWS

// -- ingest/write_vectors
// Stores vectors of passages as float32, and marks the chunks that already share them as changed.
// Parameters: $property STRING; $rows LIST<MAP {id STRING (of the vector), vector LIST<FLOAT>}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:PassageVector:$($corpus):$($corpus + '_PassageVector'), v.corpus = $corpus
WITH v, row, corpus
CALL (v, corpus) {
  MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
  SET c.touched = corpus.version + 1
}
WITH v, row
CALL db.create.setNodeVectorProperty(v, $property, row.vector)
