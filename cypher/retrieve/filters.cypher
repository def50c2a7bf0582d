// -- retrieve/disabled_ids
// List the ids of the disabled documents.
// Parameters: none
// Rows: documents LIST<STRING>; one row
RETURN COLLECT { MATCH (d:{{corpus}}_Disabled) RETURN d.id } AS documents

// -- retrieve/chunk_documents
// Read the documents of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: documents LIST<LIST<STRING>> (ids of a chunk and of its document); one row
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
RETURN collect([c.id, d.id]) AS documents

// -- retrieve/among_exact
// Find the chunks of some documents nearest to a vector. Compares the vectors of all these chunks; of chunks that share
// a vector, the one with the lowest id is returned.
// Parameters: $documents LIST<STRING> (ids); $property STRING (of the vectors); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; cosine); nearest first; one row
CALL () {
  UNWIND $documents AS id
  MATCH (:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  WITH v, min(c.id) AS id, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
  WITH v, id, 2 * vector.similarity.cosine(stored, $vector) - 1 AS cosine ORDER BY cosine DESC, id LIMIT $limit
  MATCH (c:Overstory {id: id, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
  WITH id, d, cosine ORDER BY cosine DESC, id
  RETURN collect([id, d.id, cosine]) AS found
}
RETURN found

// -- retrieve/among_index
// Find the chunks near a vector with the corpus' vector index, including all chunks that share a vector. The client
// filters them.
// Parameters: $vector_index STRING; $vector_depth INTEGER (results to request from the index); $vector LIST<FLOAT>;
//   $most INTEGER (chunks per vector)
// Rows: found LIST<LIST> (cosine; LIST<LIST> of ids of a chunk and its document, up to $most, by id); nearest first;
//   near INTEGER (vectors that the index returned); one row
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH v, score ORDER BY score DESC, v.id
  RETURN collect([v, 2 * score - 1]) AS nearest
}
RETURN size(nearest) AS near, COLLECT {
  UNWIND nearest AS one
  WITH one[0] AS v, one[1] AS cosine
  CALL (v) {
    MATCH (v)<-[:HAS_VECTOR]-(c:Overstory:Chunk)
    WITH c ORDER BY c.id LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN collect([c.id, d.id]) AS chunks
  }
  RETURN [cosine, chunks]
} AS found

// -- retrieve/sections_among
// Find sections of some documents by words (BM25), without chunks that contain only boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, escaped; "" finds nothing); $depth INTEGER (results to request from
//   the index); $documents LIST<STRING> (ids; null for all documents)
// Rows: sections LIST<LIST> (ids of a section's chunks, in order; id of its document; BM25); best first; seen INTEGER
//   (sections that the index returned); one row
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.boilerplate_only, 0) AS hidden
CALL (hidden) {
  WITH hidden, $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS first, score
  OPTIONAL MATCH (first)-[:PART_OF]->(d:Overstory:Document) WHERE $documents IS NULL OR d.id IN $documents
  WITH first, score, d, CASE
    WHEN d IS NULL OR NOT first:Chunk OR first.corpus <> $corpus THEN []
    WHEN hidden = 0 THEN first.section_chunks
    ELSE COLLECT {
      UNWIND first.section_chunks AS id
      MATCH (c:Overstory {id: id}) WHERE NOT c:BoilerplateOnly
      RETURN id
    }
  END AS chunks
  RETURN collect(CASE WHEN size(chunks) > 0 THEN [chunks, d.id, score] END) AS sections, count(*) AS seen
}
RETURN sections, seen

// -- retrieve/sections_of
// Find sections of few documents by words (BM25), without chunks that contain only boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, escaped; "" finds nothing); $depth INTEGER (results to request from
//   the index); $documents LIST<STRING> (ids)
// Rows: as in `retrieve/sections_among`
CALL () {
  UNWIND $documents AS id
  MATCH (:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(first:Overstory:Chunk)
  RETURN collect(first) AS own
}
CALL (own) {
  WITH $query AS query, own WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS first, score
  RETURN collect(CASE WHEN first IN own THEN [first, score] END) AS found, count(*) AS seen
}
RETURN seen, COLLECT {
  UNWIND found AS each
  WITH each[0] AS first, each[1] AS score
  MATCH (first)-[:PART_OF]->(d:Overstory:Document)
  WITH first, score, d, COLLECT {
    UNWIND first.section_chunks AS id
    MATCH (c:Overstory {id: id, corpus: $corpus}) WHERE NOT c:BoilerplateOnly
    RETURN id
  } AS chunks WHERE size(chunks) > 0
  RETURN [chunks, d.id, score]
} AS sections

// -- retrieve/sharing_chunks
// Find all chunks that share the vector of some chunks, with their documents.
// Parameters: $ids LIST<STRING>; $most INTEGER (chunks per vector)
// Rows: ids LIST<STRING> (of $ids, with one vector); chunks LIST<LIST> (ids of a chunk with this vector and of its
//   document, by chunk id); one row per vector
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH v, collect(c.id) AS ids
RETURN ids, COLLECT {
  MATCH (v)<-[:HAS_VECTOR]-(o:Overstory:Chunk)
  WITH o ORDER BY o.id LIMIT $most
  MATCH (o)-[:PART_OF]->(d:Overstory:Document)
  RETURN [o.id, d.id]
} AS chunks

// -- retrieve/words_among
// Find chunks of some documents by their own words (BM25), without chunks that contain only boilerplate.
// Parameters: $index STRING; $query STRING (Lucene; "" finds nothing); $depth INTEGER (results to request from the
//   index); $documents LIST<STRING> (ids; null for all documents)
// Rows: chunks LIST<LIST> (ids of a chunk and of its document; BM25); best first; seen INTEGER (chunks that the index
//   returned); one row
CALL () {
  WITH $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS c, score
  OPTIONAL MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WHERE ($documents IS NULL OR d.id IN $documents) AND c:Chunk AND c.corpus = $corpus AND NOT c:BoilerplateOnly
  RETURN collect(CASE WHEN d IS NOT NULL THEN [c.id, d.id, score] END) AS chunks, count(*) AS seen
}
RETURN chunks, seen

// -- retrieve/words_of
// Find chunks of few documents by their own words (BM25), without chunks that contain only boilerplate.
// Parameters: $index STRING; $query STRING (Lucene; "" finds nothing); $depth INTEGER (results to request from the
//   index); $documents LIST<STRING> (ids)
// Rows: as in `retrieve/words_among`
CALL () {
  UNWIND $documents AS id
  MATCH (:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk) WHERE NOT c:BoilerplateOnly
  RETURN collect(c) AS own
}
CALL (own) {
  WITH $query AS query, own WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS c, score
  RETURN collect(CASE WHEN c IN own THEN [c, score] END) AS found, count(*) AS seen
}
RETURN seen, COLLECT {
  UNWIND found AS each
  WITH each[0] AS c, each[1] AS score
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  RETURN [c.id, d.id, score]
} AS chunks

// -- retrieve/document_ids
// List the ids of all documents of the corpus.
// Parameters: none
// Rows: documents LIST<STRING>; one row
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
RETURN collect(d.id) AS documents

// -- retrieve/filter_documents
// List the documents that have some metadata values.
// Parameters: $values LIST<STRING> (ids of values)
// Rows: documents LIST<STRING> (ids; repeated if a document has several of the values); one row
RETURN COLLECT {
  UNWIND $values AS id
  MATCH (v:Overstory {id: id, corpus: $corpus})<-[:HAS_VALUE]-(d:Overstory:Document)
  RETURN d.id
} AS documents

// -- retrieve/filter_values
// Read the distinct values of some metadata keys, which the client compares.
// Parameters: $keys LIST<STRING> (ids of keys with their types)
// Rows: values LIST<LIST> (id; text, number, date or boolean; for a long text one document's values of the key,
//   otherwise null); one row per existing key
UNWIND $keys AS id
MATCH (k:Overstory {id: id}) WHERE k:MetadataKey AND k.corpus = $corpus
RETURN COLLECT {
  MATCH (k)<-[:OF_KEY]-(v:Overstory:MetadataValue)
  RETURN [
    v.id, coalesce(v.text, v.number, v.date, v.boolean),
    CASE WHEN v.cut THEN COLLECT {
      MATCH (v)<-[:HAS_VALUE]-(d:Overstory:Document)
      RETURN d['metadata_' + v.key] LIMIT 1
    }[0] END
  ]
} AS values
