// -- retrieve/repeats
// The chunks that share the vector of some chunks, which is to say their text and title.
// Parameters: $ids LIST<STRING>; $most INTEGER (chunks of a vector that are listed, by id)
// Rows: vector STRING (id); times INTEGER (chunks that share it); ids LIST<STRING> (those of $ids that do);
//   others LIST<STRING> (ids of the first $most of all chunks that do); one for each vector
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH v, collect(c.id) AS ids
RETURN v.id AS vector, COUNT { (v)<-[:HAS_VECTOR]-() } AS times, ids,
  COLLECT { MATCH (v)<-[:HAS_VECTOR]-(o:Overstory:Chunk) RETURN o.id ORDER BY o.id LIMIT $most } AS others

// -- retrieve/some_vectors
// Vectors of some passages, of a bounded number those with the lowest ids, which are hashes: as good as drawn by lot.
// Parameters: $property STRING (where vectors are); $most INTEGER (passages); $looked_at INTEGER (passages drawn from)
// Rows: id STRING (of the chunk; of chunks that share a vector the lowest); vector LIST<FLOAT>; ordered by vector
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
// The stored vectors of the texts of some nodes. Nodes that are not joined to a vector are left out.
// Parameters: $ids LIST<STRING> (of the nodes that have the texts)
// Rows: vectors LIST<LIST> (the id of a node, its vector as BYTES of float16); one
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:DerivedVector)
RETURN collect([id, v.vector]) AS vectors

// -- retrieve/vectors
// The vectors of some chunks. Chunks without a vector are left out.
// Parameters: $ids LIST<STRING>; $property STRING (where the vectors are)
// Rows: vectors LIST<LIST> (the id of a chunk, its vector); one
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH id, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
RETURN collect([id, vector]) AS vectors

// -- retrieve/chunks_by_id
// Some chunks, to be shown. In one row, which is read in four fifths of the time.
// Parameters: $ids LIST<STRING>
// Rows: chunks LIST<MAP {chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER
//   (characters in the document); boilerplate LIST<INTEGER> or null (spans of the text); document MAP (its properties);
//   repeated INTEGER (other chunks that share its vector); sentences LIST<INTEGER> (first characters);
//   language STRING or null}>; one
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:PART_OF]->(d:Overstory:Document) WHERE c:Chunk AND c.corpus = $corpus
RETURN collect({
  chunk_id: c.id, document_id: d.id, source: d.source, source_key: d.source_key, title: c.title, heading: c.heading,
  text: c.text, start: c.start, end: c.end, boilerplate: c.boilerplate, document: properties(d),
  repeated: coalesce([(c)-[:HAS_VECTOR]->(v:Overstory:PassageVector) | COUNT { (v)<-[:HAS_VECTOR]-() } - 1][0], 0),
  sentences: coalesce(c.sentences, [0]), language: c.language
}) AS chunks
