// -- systems/slimrag/clear
// Delete SlimRAG's sentences of some documents, but not entities and vectors.
// Parameters: $ids LIST<STRING> (of documents)
// Rows: entities, vectors LIST<STRING> (ids of entities and vectors that lost a sentence); one row
UNWIND $ids AS id
MATCH (d:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)<-[:PART_OF]-(s:Overstory:SlimSentence)
OPTIONAL MATCH (s)-[:REFERS_TO]->(e:Overstory:SlimEntity)
OPTIONAL MATCH (s)-[:HAS_VECTOR]->(v:Overstory:DerivedVector)
WITH collect(DISTINCT s) AS sentences, collect(DISTINCT e.id) AS entities, collect(DISTINCT v.id) AS vectors
FOREACH (s IN sentences | DETACH DELETE s)
RETURN entities, vectors

// -- systems/slimrag/documents
// Read some documents with their chunks.
// Parameters: $ids LIST<STRING>
// Rows: id, title STRING; chunks LIST<MAP {id, text STRING; boilerplate LIST<INTEGER> (spans); seq INTEGER}>
//   (unordered); in the order of $ids
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  MATCH (c:Overstory:Chunk)-[:PART_OF]->(d)
  RETURN collect({id: c.id, text: c.text, boilerplate: coalesce(c.boilerplate, []), seq: c.seq}) AS chunks
}
RETURN d.id AS id, d.title AS title, chunks ORDER BY id

// -- systems/slimrag/known_entities
// Select the ids of existing entities of SlimRAG.
// Parameters: $ids LIST<STRING>
// Rows: id STRING
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:SlimEntity AND e.corpus = $corpus
RETURN id

// -- systems/slimrag/remove_orphans
// Delete those of some entities that no sentence refers to.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:SlimEntity AND e.corpus = $corpus AND NOT EXISTS { (e)<-[:REFERS_TO]-() }
DETACH DELETE e

// -- systems/slimrag/report
// Count the contents of SlimRAG's index and its tokens.
// Parameters: none
// Rows: sentences, entities, references, corpus_tokens, prompt_tokens, completion_tokens, embedding_tokens INTEGER; one
//   row
CALL () { MATCH (s:{{corpus}}_SlimSentence) RETURN count(s) AS sentences, sum(s.tokens) AS of_sentences }
CALL () { MATCH (e:{{corpus}}_SlimEntity) RETURN count(e) AS entities, sum(e.tokens) AS of_entities }
CALL () { MATCH (:{{corpus}}_SlimSentence)-[r:REFERS_TO]->() RETURN count(r) AS references }
CALL () {
  MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document) WHERE d.slimrag_prompt_tokens IS NOT NULL
  RETURN sum(c.token_count) AS corpus_tokens
}
CALL () {
  MATCH (d:{{corpus}}_Document)
  RETURN sum(d.slimrag_prompt_tokens) AS prompt_tokens, sum(d.slimrag_completion_tokens) AS completion_tokens
}
RETURN sentences, entities, references, corpus_tokens, prompt_tokens, completion_tokens,
  of_sentences + of_entities AS embedding_tokens

// -- systems/slimrag/write_sentences
// Write sentences with the entities they refer to.
// Parameters: $rows LIST<MAP {id, chunk, text STRING; seq (in the chunk, from 0), tokens INTEGER; vector STRING (id of
//   a stored one); refers LIST<MAP {entity STRING (id); surface, by STRING}>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
MERGE (s:Overstory {id: row.id})
SET s:SlimSentence:$($corpus):$($corpus + '_SlimSentence'):OfChunk,
  s.corpus = $corpus, s.seq = row.seq, s.text = row.text, s.tokens = row.tokens
MERGE (s)-[:PART_OF]->(c)
WITH s, row
MATCH (v:Overstory {id: row.vector}) WHERE v:DerivedVector AND v.corpus = $corpus
MERGE (s)-[:HAS_VECTOR]->(v)
WITH s, row
UNWIND row.refers AS reference
MATCH (e:Overstory {id: reference.entity}) WHERE e:SlimEntity AND e.corpus = $corpus
MERGE (s)-[r:REFERS_TO]->(e)
SET r.surface = reference.surface, r.by = reference.by

// -- systems/slimrag/write_tokens
// Record the tokens of a language model that read documents.
// Parameters: $rows LIST<MAP {id STRING; prompt, completion INTEGER}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.id}) WHERE d:Document AND d.corpus = $corpus
SET d.slimrag_prompt_tokens = row.prompt, d.slimrag_completion_tokens = row.completion

// -- systems/slimrag/candidates_exact
// Find the entities nearest to each of some vectors, and the sentences that refer to them. Compares all entities.
// Parameters: $vectors LIST<LIST<FLOAT>>; $nearest INTEGER (entities per vector); $most INTEGER (sentences per entity)
// Rows: found LIST<LIST> (per entity: name; cosine to the nearest vector; number of its sentences; up to $most of their
//   ids; most similar first); one row
CALL () {
  UNWIND $vectors AS vector
  CALL (vector) {
    MATCH (e:Overstory:SlimEntity {corpus: $corpus})
    USING INDEX SEEK e:SlimEntity(corpus)
    WHERE e.embedding IS NOT NULL
    RETURN e, 2 * vector.similarity.cosine(e.embedding, vector) - 1 AS cosine ORDER BY cosine DESC, e.id LIMIT $nearest
  }
  WITH e, max(cosine) AS similarity
  CALL (e) {
    MATCH (s:Overstory:SlimSentence)-[:REFERS_TO]->(e)
    WITH s LIMIT $most
    RETURN collect(s.id) AS sentences
  }
  WITH e, similarity, sentences ORDER BY similarity DESC, e.name
  RETURN collect([e.name, similarity, COUNT { (e)<-[:REFERS_TO]-() }, sentences]) AS found
}
RETURN found

// -- systems/slimrag/candidates_index
// Find the same with the vector index of entities.
// Parameters: as in candidates_exact; $vector_index STRING; $vector_depth INTEGER (results to request from the index)
// Rows: as in candidates_exact; near INTEGER (fewest entities that the index returned for a vector)
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  UNWIND $vectors AS vector
  CALL (vector) {
    CALL db.index.vector.queryNodes($vector_index, $vector_depth, vector) YIELD node AS e, score
    // since: MATCH (e) SEARCH e IN (VECTOR INDEX {{$vector_index}} FOR vector LIMIT $vector_depth) SCORE AS score
    WITH e, score ORDER BY score DESC, e.id
    RETURN collect([e, 2 * score - 1]) AS nearest
  }
  RETURN collect(nearest[..$nearest]) AS nearest, min(size(nearest)) AS near
}
RETURN near, COLLECT {
  UNWIND nearest AS some
  UNWIND some AS one
  WITH one[0] AS e, max(one[1]) AS similarity
  CALL (e) {
    MATCH (s:Overstory:SlimSentence)-[:REFERS_TO]->(e)
    WITH s LIMIT $most
    RETURN collect(s.id) AS sentences
  }
  RETURN [e.name, similarity, COUNT { (e)<-[:REFERS_TO]-() }, sentences] ORDER BY similarity DESC, e.name
} AS found

// -- systems/slimrag/entity_vectors
// Read the vectors of existing entities.
// Parameters: $ids LIST<STRING>
// Rows: vectors LIST<LIST> (id of an entity, vector as LIST<FLOAT>); one row
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:SlimEntity AND e.corpus = $corpus
RETURN collect([id, e.embedding]) AS vectors

// -- systems/slimrag/sentences_of
// List SlimRAG's sentences of some chunks.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: sentences LIST<STRING> (ids); one row
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(s:Overstory:SlimSentence)
RETURN collect(s.id) AS sentences

// -- systems/slimrag/texts
// Read some sentences.
// Parameters: $ids LIST<STRING>
// Rows: id, chunk, document, text STRING; tokens, chunk_seq, seq INTEGER
UNWIND $ids AS id
MATCH (s:Overstory {id: id})-[:PART_OF]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document) WHERE s:SlimSentence AND s.corpus = $corpus
RETURN s.id AS id, c.id AS chunk, d.id AS document, s.text AS text,
  s.tokens AS tokens, c.seq AS chunk_seq, s.seq AS seq
