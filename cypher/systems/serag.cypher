// -- systems/serag/linked
// The edges of some chunks that stay inside the chunk's community of the finest level.
// Parameters: $ids LIST<STRING>; $tree, $weight STRING (a property of the edges); $generation, $most INTEGER
// Rows: id STRING; strongest FLOAT (of all edges of the chunk); inside LIST<LIST> (id of the other end, weight), the
//   strongest first
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
// The chunks before and after some chunks in their documents.
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
// Some chunks as SeRAG reads them, in order of id. Names that only the dictionary found make no edges.
// Parameters: $ids LIST<STRING>; $property STRING (where vectors are)
// Rows: id, document STRING; seq INTEGER; vector LIST<FLOAT>; entities LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
RETURN c.id AS id, d.id AS document, c.seq AS seq, v[$property] AS vector,
  COLLECT { MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie'] RETURN DISTINCT e.id } AS entities
ORDER BY id

// -- systems/serag/holders
// The chunks that mention some entities. Names that only the dictionary found make no edges.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (of an entity in more chunks none are listed)
// Rows: id STRING; chunks LIST<STRING> (ids), null where there are more
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE m.by IN ['ner', 'openie']
  WITH DISTINCT c LIMIT $most + 1
  RETURN collect(c.id) AS chunks
}
RETURN id, CASE WHEN size(chunks) <= $most THEN chunks END AS chunks

// -- systems/serag/nearest_exact
// The chunks nearest to each of some chunks, by looking at all vectors: for corpora that are too small for an index.
// Parameters: $ids LIST<STRING>; $property STRING (where vectors are); $limit INTEGER (chunks of each)
// Rows: id STRING; others LIST<LIST> (id, cosine), the nearest first
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
// The same by the corpus' vector index.
// Parameters: as above; $vector_index STRING; $vector_depth INTEGER (asked of it)
// Rows: as above; near INTEGER (vectors that the index returned)
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
// The stored nearest neighbours of chunks, where GDS found them. Chunk by chunk: sorting all at once takes the server more
// memory than finding them.
// Parameters: none
// Rows: id STRING; others LIST<LIST> (id, score, which is (1 + cosine) / 2), the nearest first
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN c.id AS id, COLLECT {
  MATCH (c)-[s:SIMILAR]->(other:Overstory:Chunk)
  RETURN [other.id, s.score] ORDER BY s.score DESC, other.id
} AS others

// -- systems/serag/unlink_similar
// Deletes all stored nearest neighbours; commits as it goes.
// Parameters: none
// Rows: none
MATCH (c:Overstory {corpus: $corpus})-[s:SIMILAR]->(:Overstory:Chunk)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
CALL (s) { DELETE s } IN TRANSACTIONS OF 10000 ROWS

// -- systems/serag/chunks
// A page of chunks as SeRAG reads them, in order of id. Names that only the dictionary found make no edges.
// Parameters: $after STRING (id of the last chunk before); $property STRING (where vectors are); $limit INTEGER
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
// The stored edges of the chunk graph.
// Parameters: none
// Rows: one, other STRING (ids of chunks); weight, semantic_weight FLOAT or null
MATCH (a:Overstory {corpus: $corpus})-[l:LINKED]->(b:Overstory:Chunk)
USING INDEX SEEK a:Overstory(corpus, id, token_count)
WHERE a.id > '' AND a.token_count IS NOT NULL
RETURN a.id AS one, b.id AS other, l.weight AS weight, l.semantic_weight AS semantic_weight

// -- systems/serag/examples
// A value for the saved queries on SeRAG: a document that is linked to the one that the others take.
// Parameters: $found MAP {document STRING (a title)}
// Rows: other_document STRING, null where the corpus has none; one row
OPTIONAL MATCH (d:{{corpus}}_Document)<-[:PART_OF]-(:{{corpus}}_Chunk)-[l:LINKED]-(:{{corpus}}_Chunk)-[:PART_OF]->(o:{{corpus}}_Document)
WHERE d.title = $found.document AND o <> d AND o.title <> '' AND l.weight IS NOT NULL
WITH o ORDER BY l.weight DESC, o.title LIMIT 1
RETURN o.title AS other_document

// -- systems/serag/report
// What SeRAG's index of a corpus holds.
// Parameters: $generation INTEGER
// Rows: nodes, links INTEGER; one row
CALL () { MATCH (t:{{corpus}}_SeragNode) WHERE t.generation = $generation RETURN count(t) AS nodes }
CALL () { MATCH (:{{corpus}}_Chunk)-[l:LINKED]->() RETURN count(l) AS links }
RETURN nodes, links

// -- systems/serag/entity_chunks
// Which chunks say the names of some entities, and how often. Of a name in more than $most chunks none are listed.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (chunks)
// Rows: id STRING; mentions INTEGER (relationships); chunks LIST<LIST> (id, how often it says the name)
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
// What some chunks mention by names that share a word with others.
// Parameters: $ids LIST<STRING> (chunks); $words LIST<STRING> (as keys have them)
// Rows: id, key, name STRING; chunks LIST<LIST> (id, how often it says the name)
UNWIND $ids AS chunk
MATCH (c:Overstory {id: chunk, corpus: $corpus})-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.count > 0
WITH e, chunk, m.count AS times WHERE any(word IN split(e.key, ' ') WHERE word IN $words)
WITH e, chunk, max(times) AS count
RETURN e.id AS id, e.key AS key, e.name AS name, collect([chunk, count]) AS chunks

// -- systems/serag/names_in
// The most specific names in some chunks.
// Parameters: $ids LIST<STRING> (chunks); $names INTEGER (how many of a chunk)
// Rows: id STRING; names LIST<LIST> (a name, its IDF weight, 0 to 1); the greatest first
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
// How many entities some chunks mention, and how strong their stored edges are.
// Parameters: $ids LIST<STRING>; $most INTEGER (how many of a chunk are stored, or more); $weights LIST<STRING>
//   (properties of edges)
// Rows: id STRING; entities INTEGER; edges LIST<MAP {number INTEGER; weight FLOAT (of all), weakest FLOAT (of the
//   strongest, null where there are none)}> (by each of the properties)
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
// Deletes all edges of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[l:LINKED]-(:Overstory:Chunk)
WITH DISTINCT l
DELETE l

// -- systems/serag/write_similar
// Writes the nearest neighbours of chunks in place of those that they have.
// Parameters: $rows LIST<MAP {id STRING, others LIST<MAP {id STRING, score FLOAT, (1 + cosine) / 2}>}>
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
