// -- retrieve/repeats
// Find the chunks that share the vector of some chunks, so have the same text and title.
// Parameters: $ids LIST<STRING>; $most INTEGER (chunks to list per vector, by id)
// Rows: vector STRING (id); times INTEGER (chunks that share it); ids LIST<STRING> (of $ids, with this vector); others
//   LIST<STRING> (ids of the first $most chunks with it); one row per vector
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH v, collect(c.id) AS ids
RETURN v.id AS vector, COUNT { (v)<-[:HAS_VECTOR]-() } AS times, ids,
  COLLECT { MATCH (v)<-[:HAS_VECTOR]-(o:Overstory:Chunk) RETURN o.id ORDER BY o.id LIMIT $most } AS others

// -- retrieve/some_vectors
// Sample vectors of passages. Ids are hashes, so the lowest ids are a random sample.
// Parameters: $property STRING (of the vectors); $most INTEGER (size of the sample); $looked_at INTEGER (passages to
//   choose from)
// Rows: id STRING (of the chunk; the lowest of those that share the vector); vector LIST<FLOAT>; ordered by vector
MATCH (v:Overstory:PassageVector {corpus: $corpus})
USING INDEX SEEK v:PassageVector(corpus)
WITH v LIMIT $looked_at
WITH v, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
WITH v, vector ORDER BY v.id LIMIT $most
CALL (v) {
  MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
  RETURN c ORDER BY c.id LIMIT 1
}
RETURN c.id AS id, vector ORDER BY v.id

// -- retrieve/derived_vectors
// Read the stored vectors of the texts of some nodes. Nodes without a vector are left out.
// Parameters: $ids LIST<STRING> (of nodes)
// Rows: vectors LIST<LIST> (id of a node, vector as BYTES of float16); one row
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:DerivedVector)
RETURN collect([id, v.vector]) AS vectors

// -- retrieve/vectors
// Read the vectors of some chunks. Chunks without a vector are left out.
// Parameters: $ids LIST<STRING>; $property STRING (of the vectors)
// Rows: vectors LIST<LIST> (id of a chunk, vector); one row
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH id, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
RETURN collect([id, vector]) AS vectors

// -- retrieve/chunks_by_id
// Read some chunks for display, in one row, which takes four fifths of the time.
// Parameters: $ids LIST<STRING>
// Rows: chunks LIST<MAP {chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER
//   (characters in the document); boilerplate LIST<INTEGER> or null (spans of the text); document MAP (its properties);
//   repeated INTEGER (other chunks with the same vector); sentences LIST<INTEGER> (first characters); language STRING
//   or null}>; one row
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:PART_OF]->(d:Overstory:Document) WHERE c:Chunk AND c.corpus = $corpus
RETURN collect({
  chunk_id: c.id, document_id: d.id, source: d.source, source_key: d.source_key, title: c.title, heading: c.heading,
  text: c.text, start: c.start, end: c.end, boilerplate: c.boilerplate, document: properties(d),
  repeated: coalesce([(c)-[:HAS_VECTOR]->(v:Overstory:PassageVector) | COUNT { (v)<-[:HAS_VECTOR]-() } - 1][0], 0),
  sentences: coalesce(c.sentences, [0]), language: c.language
}) AS chunks
