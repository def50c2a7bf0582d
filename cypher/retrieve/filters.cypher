// -- retrieve/disabled_ids
// The ids of the disabled documents of a corpus.
// Parameters: none
// Rows: documents LIST<STRING>; one
RETURN COLLECT { MATCH (d:{{corpus}}_Disabled) RETURN d.id } AS documents

// -- retrieve/chunk_documents
// The documents of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: documents LIST<LIST<STRING>> (ids of a chunk and of its document); one
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
RETURN collect([c.id, d.id]) AS documents

// -- retrieve/among_exact
// The chunks of some documents nearest to a vector, by looking at the vectors of all of these; of chunks that share one, that
// with the lowest id.
// Parameters: $documents LIST<STRING> (ids); $property STRING (where the vectors are); $vector LIST<FLOAT>; $limit INTEGER
// Rows: found LIST<LIST> (ids of a chunk and of its document; cosine); nearest first; one
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
// The chunks near a vector, by the corpus' own index, all that share each vector found: the client looks for those that it
// may show.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>; $most INTEGER (chunks a vector)
// Rows: found LIST<LIST> (cosine; ids of a chunk and of its document, LIST<LIST>, at most $most, by id); nearest first;
//   near INTEGER (vectors that the index returned); one
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
// The sections that share words with a question (BM25), of some documents, without chunks that hold nothing but boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, escaped, "" finds nothing); $depth INTEGER (sections asked of the index);
//   $documents LIST<STRING> (ids; null for all documents)
// Rows: sections LIST<LIST> (the ids of a section's chunks, in order; the id of its document; BM25); best first;
//   seen INTEGER (sections that the index returned); one
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
// The sections that share words with a question (BM25), of few documents, without chunks that hold nothing but boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, escaped, "" finds nothing); $depth INTEGER (sections asked of the index);
//   $documents LIST<STRING> (ids)
// Rows: as those of `retrieve/sections_among`
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
// All chunks that share the vector of some chunks, with their documents.
// Parameters: $ids LIST<STRING>; $most INTEGER (chunks a vector)
// Rows: ids LIST<STRING> (those of $ids that share a vector); chunks LIST<LIST> (ids of a chunk that does, and of its
//   document, by the chunks' ids); one for each vector
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
// The chunks of some documents that share words with a question by their own text (BM25), without those that hold nothing but
// boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, "" finds nothing); $depth INTEGER (chunks asked of the index);
//   $documents LIST<STRING> (ids; null for all documents)
// Rows: chunks LIST<LIST> (ids of a chunk and of its document; BM25); best first; seen INTEGER (chunks that the index
//   returned); one
CALL () {
  WITH $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS c, score
  OPTIONAL MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WHERE ($documents IS NULL OR d.id IN $documents) AND c:Chunk AND c.corpus = $corpus AND NOT c:BoilerplateOnly
  RETURN collect(CASE WHEN d IS NOT NULL THEN [c.id, d.id, score] END) AS chunks, count(*) AS seen
}
RETURN chunks, seen

// -- retrieve/words_of
// The chunks of few documents that share words with a question by their own text (BM25), without those that hold nothing but
// boilerplate.
// Parameters: $index STRING; $query STRING (Lucene, "" finds nothing); $depth INTEGER (chunks asked of the index);
//   $documents LIST<STRING> (ids)
// Rows: as those of `retrieve/words_among`
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
// The ids of all documents of a corpus.
// Parameters: none
// Rows: documents LIST<STRING>; one
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
RETURN collect(d.id) AS documents

// -- retrieve/filter_documents
// The documents that have some values of metadata.
// Parameters: $values LIST<STRING> (ids of values)
// Rows: documents LIST<STRING> (ids; of a document with several of the values more than once); one
RETURN COLLECT {
  UNWIND $values AS id
  MATCH (v:Overstory {id: id, corpus: $corpus})<-[:HAS_VALUE]-(d:Overstory:Document)
  RETURN d.id
} AS documents

// -- retrieve/filter_values
// The values of some keys of metadata, to be compared by the client. Looks at each distinct value, not at documents.
// Parameters: $keys LIST<STRING> (ids of keys and their types)
// Rows: values LIST<LIST> (id; text, number, date or boolean; of a long text a document's values of the key, else null); one
//   a key that is there
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
