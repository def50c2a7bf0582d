// -- systems/serag/linked
// Read the edges of some chunks within the chunk's community of the finest level.
// Parameters: $ids LIST<STRING>; $tree, $weight STRING (edge property); $generation, $most INTEGER (edges per chunk)
// Rows: id STRING; strongest FLOAT (weight of the chunk's strongest edge); inside LIST<LIST> (id of the other end,
//   weight), strongest first
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})<-[:COVERS]-(leaf:Overstory:TreeNode)-[:CHILD_OF]->(community:Overstory:TreeNode)
WHERE leaf.tree = $tree AND leaf.generation = $generation
CALL (community) {
  MATCH (community)<-[:CHILD_OF]-(:Overstory:TreeNode)-[:COVERS]->(member:Overstory:Chunk)
  RETURN collect(member) AS members
}
MATCH (c)-[l:LINKED]-(other:Overstory:Chunk)
WITH id, members, other, l[$weight] AS weight WHERE weight IS NOT NULL
WITH id, members, other, weight ORDER BY weight DESC, other.id
WITH id, max(weight) AS strongest, collect(CASE WHEN weight > 0 AND other IN members THEN [other.id, weight] END) AS inside
RETURN id, strongest, inside[..$most] AS inside

// -- systems/serag/beside
// Read the chunks before and after some chunks in their documents.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; seq INTEGER; others LIST<LIST> (id, seq)
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN id, c.seq AS seq, COLLECT {
  MATCH (c)-[:NEXT*1..10]-(other:Overstory:Chunk) WHERE other <> c
  WITH DISTINCT other
  RETURN [other.id, other.seq]
} AS others

// -- systems/serag/changed
// Read some chunks as SeRAG needs them, in order of id, without dictionary mentions.
// Parameters: $ids LIST<STRING>; $property STRING (of the vectors)
// Rows: id, document STRING; seq INTEGER; vector LIST<FLOAT>; entities LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
RETURN c.id AS id, d.id AS document, c.seq AS seq, v[$property] AS vector,
  COLLECT { MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie'] RETURN DISTINCT e.id } AS entities
ORDER BY id

// -- systems/serag/holders
// Find the chunks that mention some entities, without dictionary mentions.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (maximum chunks of an entity)
// Rows: id STRING; chunks LIST<STRING> (ids), null if there are more than $most
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE m.by IN ['ner', 'openie']
  WITH DISTINCT c LIMIT $most + 1
  RETURN collect(c.id) AS chunks
}
RETURN id, CASE WHEN size(chunks) <= $most THEN chunks END AS chunks

// -- systems/serag/nearest_exact
// Find the chunks nearest to each of some chunks. Compares all vectors, for corpora that are too small for an index.
// Parameters: $ids LIST<STRING>; $property STRING (of the vectors); $limit INTEGER (chunks per chunk)
// Rows: id STRING; others LIST<LIST> (id, cosine), nearest first
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:HAS_VECTOR]->(own:Overstory:PassageVector)
WITH id, c, own[$property] AS vector WHERE any(x IN own[$property] WHERE x < 0.0 OR x > 0.0)
CALL (c, vector) {
  MATCH (v:Overstory:PassageVector {corpus: $corpus})
  USING INDEX SEEK v:PassageVector(corpus)
  WITH v, v[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
  WITH v, 2 * vector.similarity.cosine(stored, vector) - 1 AS cosine
  MATCH (v)<-[:HAS_VECTOR]-(other:Overstory:Chunk) WHERE other <> c
  WITH other, cosine ORDER BY cosine DESC, other.id LIMIT $limit
  RETURN collect([other.id, cosine]) AS others
}
RETURN id, others

// -- systems/serag/nearest_index
// Find the same with the corpus' vector index.
// Parameters: as in nearest_exact; $vector_index STRING; $vector_depth INTEGER (results to request from the index)
// Rows: as in nearest_exact; near INTEGER (vectors that the index returned)
// Since: Neo4j 2026.04 (SEARCH)
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:HAS_VECTOR]->(own:Overstory:PassageVector)
  WHERE any(x IN own[$property] WHERE x < 0.0 OR x > 0.0)
CALL (own) {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, own[$property]) YIELD node AS v, score
  // since: MATCH (v) SEARCH v IN (VECTOR INDEX {{$vector_index}} FOR own[$property] LIMIT $vector_depth) SCORE AS score
  RETURN collect([v, score]) AS found
}
CALL (c, found) {
  UNWIND found AS each
  WITH each[0] AS v, each[1] AS score
  MATCH (v)<-[:HAS_VECTOR]-(other:Overstory:Chunk) WHERE other <> c
  WITH other, 2 * score - 1 AS cosine ORDER BY cosine DESC, other.id LIMIT $limit
  RETURN collect([other.id, cosine]) AS others
}
RETURN id, others, size(found) AS near

// -- systems/serag/similar
// Read the nearest neighbours that GDS stored. Sorts chunk by chunk, because sorting all at once takes more memory than
// finding them.
// Parameters: none
// Rows: id STRING; others LIST<LIST> (id, score = (1 + cosine) / 2), nearest first
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN c.id AS id, COLLECT {
  MATCH (c)-[s:SIMILAR]->(other:Overstory:Chunk)
  RETURN [other.id, s.score] ORDER BY s.score DESC, other.id
} AS others

// -- systems/serag/unlink_similar
// Delete all stored nearest neighbours. Commits in batches.
// Parameters: none
// Rows: none
MATCH (c:Overstory {corpus: $corpus})-[s:SIMILAR]->(:Overstory:Chunk)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
CALL (s) { DELETE s } IN TRANSACTIONS OF 10000 ROWS

// -- systems/serag/chunks
// Read the next page of chunks as SeRAG needs them, in order of id, without dictionary mentions.
// Parameters: $after STRING (last id of the previous page); $property STRING (of the vectors); $limit INTEGER
// Rows: id, document STRING; seq INTEGER; vector LIST<FLOAT>; entities LIST<STRING> (ids)
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
  AND EXISTS { (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector) WHERE v[$property] IS NOT NULL }
WITH c ORDER BY c.corpus, c.id LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
RETURN c.id AS id, d.id AS document, c.seq AS seq, v[$property] AS vector,
  COLLECT { MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie'] RETURN DISTINCT e.id } AS entities
ORDER BY id

// -- systems/serag/links
// Read the stored edges of the chunk graph.
// Parameters: none
// Rows: one, other STRING (ids of chunks); weight, semantic_weight FLOAT or null
MATCH (a:Overstory {corpus: $corpus})-[l:LINKED]->(b:Overstory:Chunk)
USING INDEX SEEK a:Overstory(corpus, id, token_count)
WHERE a.id > '' AND a.token_count IS NOT NULL
RETURN a.id AS one, b.id AS other, l.weight AS weight, l.semantic_weight AS semantic_weight

// -- systems/serag/examples
// Find a document that is linked to the example document of the other saved queries.
// Parameters: $found MAP {document STRING (a title)}
// Rows: other_document STRING or null; one row
OPTIONAL MATCH (d:{{corpus}}_Document)<-[:PART_OF]-(:{{corpus}}_Chunk)-[l:LINKED]-(:{{corpus}}_Chunk)-[:PART_OF]->(o:{{corpus}}_Document)
WHERE d.title = $found.document AND o <> d AND o.title <> '' AND l.weight IS NOT NULL
WITH o ORDER BY l.weight DESC, o.title LIMIT 1
RETURN o.title AS other_document

// -- systems/serag/report
// Count the contents of SeRAG's index.
// Parameters: $generation INTEGER
// Rows: nodes, links INTEGER; one row
CALL () { MATCH (t:{{corpus}}_SeragNode) WHERE t.generation = $generation RETURN count(t) AS nodes }
CALL () { MATCH (:{{corpus}}_Chunk)-[l:LINKED]->() RETURN count(l) AS links }
RETURN nodes, links

// -- systems/serag/entity_chunks
// Find the chunks that mention some entities, with frequencies. A name in more than $most chunks gets none.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (chunks)
// Rows: id STRING; mentions INTEGER (relationships); chunks LIST<LIST> (id, frequency)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
WITH e, COUNT { (e)<-[:MENTIONS]-() } AS mentions
CALL (e, mentions) {
  MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE mentions <= $most AND m.count > 0
  WITH c, max(m.count) AS count
  RETURN collect([c.id, count]) AS chunks
}
RETURN e.id AS id, mentions, chunks

// -- systems/serag/entities
// Find entities in some chunks whose names share a word with given words.
// Parameters: $ids LIST<STRING> (chunks); $words LIST<STRING> (in the form of keys)
// Rows: id, key, name STRING; chunks LIST<LIST> (id, frequency)
UNWIND $ids AS chunk
MATCH (c:Overstory {id: chunk, corpus: $corpus})-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.count > 0
WITH e, chunk, m.count AS times WHERE any(word IN split(e.key, ' ') WHERE word IN $words)
WITH e, chunk, max(times) AS count
RETURN e.id AS id, e.key AS key, e.name AS name, collect([chunk, count]) AS chunks

// -- systems/serag/names_in
// Find the most specific names in some chunks.
// Parameters: $ids LIST<STRING> (chunks); $names INTEGER (names per chunk)
// Rows: id STRING; names LIST<LIST> (name, IDF weight 0 to 1); highest weight first
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN id, COLLECT {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
  WITH DISTINCT e ORDER BY e.df, e.name LIMIT $names
  RETURN [e.name, coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0)]
} AS names

// -- systems/serag/mentioned
// Count the entities that some chunks mention, and read the weights of their stored edges.
// Parameters: $ids LIST<STRING>; $most INTEGER (stored edges per chunk); $weights LIST<STRING> (edge properties)
// Rows: id STRING; entities INTEGER; edges LIST<MAP {number INTEGER; weight FLOAT (sum), weakest FLOAT (of the $most
//   strongest; null without edges)}> (one per property)
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
  RETURN count(DISTINCT e) AS entities
}
RETURN id, entities, COLLECT {
  UNWIND $weights AS name
  CALL (c, name) {
    MATCH (c)-[l:LINKED]-(:Overstory:Chunk)
    WITH l[name] AS weight WHERE weight IS NOT NULL
    WITH weight ORDER BY weight DESC
    WITH collect(weight) AS stored
    RETURN {number: size(stored), weight: reduce(sum = 0.0, weight IN stored | sum + weight),
      weakest: stored[..$most][-1]} AS edges
  }
  RETURN edges
} AS edges

// -- systems/serag/part
// Delete all edges of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[l:LINKED]-(:Overstory:Chunk)
WITH DISTINCT l
DELETE l

// -- systems/serag/write_similar
// Replace the stored nearest neighbours of chunks.
// Parameters: $rows LIST<MAP {id STRING, others LIST<MAP {id STRING, score FLOAT = (1 + cosine) / 2}>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id})
CALL (c) {
  MATCH (c)-[old:SIMILAR]->(:Overstory)
  DELETE old
}
UNWIND row.others AS each
MATCH (other:Overstory {id: each.id})
CREATE (c)-[:SIMILAR {score: each.score}]->(other)
