// -- systems/apr/remove_loose_edges
// Delete edges that lost a run and have no user, and mark their symbols for `remove_loose_symbols`. Commits in batches.
// Parameters: none
// Rows: none
MATCH (e:{{corpus}}_AprLoose:{{corpus}}_AprEdge)
CALL (e) {
  REMOVE e:{{corpus}}_AprLoose
  WITH e WHERE NOT EXISTS { (e)<-[:HAS_EDGE]-() }
  OPTIONAL MATCH (e)-[:HEAD|RELATION|TAIL]->(s:{{corpus}}_AprSymbol)
  WITH e, collect(DISTINCT s) AS symbols
  FOREACH (s IN symbols | SET s:{{corpus}}_AprLoose)
  DETACH DELETE e
} IN TRANSACTIONS OF 1000 ROWS

// -- systems/apr/remove_loose_symbols
// Delete symbols that lost an edge and have no user: no edge, and no symbol that they represent. Commits in batches.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprLoose:{{corpus}}_AprSymbol)
CALL (s) {
  REMOVE s:{{corpus}}_AprLoose
  WITH s WHERE NOT EXISTS { (s)<-[:HEAD|RELATION|TAIL|ALIAS_OF]-(:{{corpus}}) }
  DETACH DELETE s
} IN TRANSACTIONS OF 1000 ROWS

// -- systems/apr/write_edges
// Write edges between existing symbols. An existing edge stays as it is.
// Parameters: $rows LIST<MAP {id, head, relation, tail STRING (words); vector BYTES (float16);
//   symbols LIST<STRING> (ids of the head, the relation and the tail)}>
// Rows: none
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
ON CREATE SET e:AprEdge:$($corpus):$($corpus + '_AprEdge'):Shared, e.corpus = $corpus, e.head = row.head,
  e.relation = row.relation, e.tail = row.tail, e.vector = row.vector
WITH e, row WHERE NOT EXISTS { (e)-[:HEAD]->() }
MATCH (h:Overstory {id: row.symbols[0], corpus: $corpus})
MATCH (r:Overstory {id: row.symbols[1], corpus: $corpus})
MATCH (t:Overstory {id: row.symbols[2], corpus: $corpus})
CREATE (e)-[:HEAD]->(h), (e)-[:RELATION]->(r), (e)-[:TAIL]->(t)

// -- systems/apr/write_runs
// Write runs of existing edges. The chunks must have no runs yet.
// Parameters: $rows LIST<MAP {id, chunk STRING; seq, size INTEGER; edges LIST<LIST> (id of an edge, number
//   of its sentence or −1; in order)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
CREATE (r:Overstory:AprRun:OfChunk:$($corpus):$($corpus + '_AprRun')
  {id: row.id, corpus: $corpus, seq: row.seq, size: row.size})-[:PART_OF]->(c)
WITH r, row
UNWIND range(0, row.size - 1) AS position
MATCH (e:Overstory {id: row.edges[position][0], corpus: $corpus})
CREATE (r)-[:HAS_EDGE {position: position, sentence: row.edges[position][1]}]->(e)

// -- systems/apr/candidates_exact
// Find the entities nearest to each of some vectors, merged ones as one, and the runs that contain them. Compares all
// entities.
// Parameters: $vectors LIST<LIST<FLOAT>>; $nearest INTEGER (entities per vector); $most INTEGER (edges per entity whose
//   runs are read)
// Rows: found LIST<LIST> (per entity: text; cosine to the nearest vector; number of its edges; ids of the runs with up
//   to $most of them; id; most similar first); one row
CALL () {
  UNWIND $vectors AS vector
  CALL (vector) {
    MATCH (s:Overstory:AprEntity {corpus: $corpus})
    USING INDEX SEEK s:AprEntity(corpus)
    WHERE s.embedding IS NOT NULL
    RETURN s AS near, 2 * vector.similarity.cosine(s.embedding, vector) - 1 AS cosine ORDER BY cosine DESC, s.id LIMIT $nearest
  }
  WITH coalesce([(near:Overstory:AprSymbol)-[:ALIAS_OF]->(r:Overstory:AprSymbol) | r][0], near) AS s, max(cosine) AS similarity
  CALL (s) {
    MATCH (s:Overstory:AprSymbol)<-[:ALIAS_OF*0..1]-(alias:Overstory:AprSymbol)
    RETURN sum(COUNT { (alias)<-[:HEAD]-() } + COUNT { (alias)<-[:TAIL]-() }) AS degree
  }
  CALL (s) {
    MATCH (s:Overstory:AprSymbol)<-[:ALIAS_OF*0..1]-(:Overstory:AprSymbol)<-[:HEAD|TAIL]-(e:Overstory:AprEdge)
    WITH DISTINCT e LIMIT $most
    MATCH (e)<-[:HAS_EDGE]-(r:Overstory:AprRun)
    RETURN collect(DISTINCT r.id) AS runs
  }
  WITH s, similarity, degree, runs ORDER BY similarity DESC, s.id
  RETURN collect([s.text, similarity, degree, runs, s.id]) AS found
}
RETURN found

// -- systems/apr/candidates_index
// Find the same with the vector index of entities.
// Parameters: as in candidates_exact; $vector_index STRING; $vector_depth INTEGER (results to request from the index)
// Rows: as in candidates_exact; near INTEGER (fewest entities that the index returned for a vector)
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  UNWIND $vectors AS vector
  CALL (vector) {
    CALL db.index.vector.queryNodes($vector_index, $vector_depth, vector) YIELD node AS s, score
    // since: MATCH (s) SEARCH s IN (VECTOR INDEX {{$vector_index}} FOR vector LIMIT $vector_depth) SCORE AS score
    WITH s, score ORDER BY score DESC, s.id
    RETURN collect([s, 2 * score - 1]) AS nearest
  }
  RETURN collect(nearest[..$nearest]) AS nearest, min(size(nearest)) AS near
}
RETURN near, COLLECT {
  UNWIND nearest AS some
  UNWIND some AS one
  WITH one[0] AS entity, one[1] AS cosine
  WITH coalesce([(entity:Overstory:AprSymbol)-[:ALIAS_OF]->(r:Overstory:AprSymbol) | r][0], entity) AS s, max(cosine) AS similarity
  CALL (s) {
    MATCH (s:Overstory:AprSymbol)<-[:ALIAS_OF*0..1]-(alias:Overstory:AprSymbol)
    RETURN sum(COUNT { (alias)<-[:HEAD]-() } + COUNT { (alias)<-[:TAIL]-() }) AS degree
  }
  CALL (s) {
    MATCH (s:Overstory:AprSymbol)<-[:ALIAS_OF*0..1]-(:Overstory:AprSymbol)<-[:HEAD|TAIL]-(e:Overstory:AprEdge)
    WITH DISTINCT e LIMIT $most
    MATCH (e)<-[:HAS_EDGE]-(r:Overstory:AprRun)
    RETURN collect(DISTINCT r.id) AS runs
  }
  RETURN [s.text, similarity, degree, runs, s.id] ORDER BY similarity DESC, s.id
} AS found

// -- systems/apr/edge_vectors
// Read the vectors of some edges.
// Parameters: $ids LIST<STRING>
// Rows: vectors LIST<LIST> (id, vector as BYTES of float16); one row
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:AprEdge AND e.corpus = $corpus
RETURN collect([e.id, e.vector]) AS vectors

// -- systems/apr/known_symbols
// Read the vectors of existing symbols.
// Parameters: $ids LIST<STRING>
// Rows: entities LIST<LIST> (id, vector as LIST<FLOAT>), relations LIST<LIST> (id, vector as BYTES of float16); one row
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:AprSymbol AND s.corpus = $corpus
RETURN collect(CASE WHEN s:AprEntity THEN [s.id, s.embedding] END) AS entities,
  collect(CASE WHEN s:AprRelation THEN [s.id, s.vector] END) AS relations

// -- systems/apr/read_runs
// Read the facts of some runs, in the words of representatives.
// Parameters: $ids LIST<STRING> (of runs)
// Rows: id, chunk, document STRING; edges LIST<LIST> (id; id of the edge after merging; words of head, relation and
//   tail; number of the sentence or −1; in order)
UNWIND $ids AS id
MATCH (r:Overstory {id: id})-[:PART_OF]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document) WHERE r:AprRun AND r.corpus = $corpus
RETURN r.id AS id, c.id AS chunk, d.id AS document, COLLECT {
  MATCH (r)-[h:HAS_EDGE]->(e:Overstory:AprEdge)
  RETURN [e.id, coalesce(e.canonical, e.id),
    coalesce([(e)-[:HEAD]->(:Overstory:AprSymbol)-[:ALIAS_OF]->(s:Overstory:AprSymbol) | s.text][0], e.head), e.relation,
    coalesce([(e)-[:TAIL]->(:Overstory:AprSymbol)-[:ALIAS_OF]->(s:Overstory:AprSymbol) | s.text][0], e.tail), h.sentence] ORDER BY h.position
} AS edges

// -- systems/apr/relations_of_runs
// Read the relations of some runs.
// Parameters: $ids LIST<STRING> (of runs)
// Rows: relations LIST<LIST> (id of a run, LIST<STRING> of ids of its relations); one row
UNWIND $ids AS id
MATCH (r:Overstory {id: id}) WHERE r:AprRun AND r.corpus = $corpus
WITH r, COLLECT { MATCH (r)-[:HAS_EDGE]->(:Overstory:AprEdge)-[:RELATION]->(s:Overstory:AprSymbol) RETURN DISTINCT s.id } AS ids
RETURN collect([r.id, ids]) AS relations

// -- systems/apr/runs
// Read some runs and all runs of some chunks, each once, with their edges.
// Parameters: $ids LIST<STRING> (of runs); $chunks LIST<STRING> (ids)
// Rows: runs LIST<LIST> (id of a run, id of its chunk, LIST<STRING> of ids of its edges in order); one row
CALL () {
  UNWIND $ids AS id
  MATCH (r:Overstory {id: id})-[:PART_OF]->(c:Overstory:Chunk) WHERE r:AprRun AND r.corpus = $corpus
  RETURN r, c
  UNION
  UNWIND $chunks AS id
  MATCH (c:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(r:Overstory:AprRun)
  RETURN r, c
}
WITH r, c, COLLECT { MATCH (r)-[h:HAS_EDGE]->(e:Overstory:AprEdge) RETURN e.id ORDER BY h.position } AS edges
WITH r.id AS run, c.id AS chunk, edges
WHERE run IS NOT NULL AND chunk IS NOT NULL // an update may delete either meanwhile
RETURN collect([run, chunk, edges]) AS runs

// -- systems/apr/shared_names
// Find the entities that facts of some chunks share with facts of other chunks, merged ones as one. Entities with many
// edges are excluded.
// Parameters: $chunks LIST<STRING> (ids); $most INTEGER (maximum edges of an entity)
// Rows: names LIST<LIST> (id of one of the chunks, text of an entity, LIST<STRING> of ids of all chunks with it;
//   ordered by chunk and name); one row
UNWIND $chunks AS id
MATCH (c:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(:Overstory:AprRun)-[:HAS_EDGE]->(:Overstory:AprEdge)-[:HEAD|TAIL]->(symbol:Overstory:AprSymbol)
WITH DISTINCT c, coalesce([(symbol)-[:ALIAS_OF]->(r:Overstory:AprSymbol) | r][0], symbol) AS s
WITH s, collect(c.id) AS sources
WHERE 1 < COUNT { (s)<-[:HEAD]-() } + COUNT { (s)<-[:TAIL]-() } + COUNT { (s)<-[:ALIAS_OF]-() } <= $most
CALL (s) {
  MATCH (s:Overstory:AprSymbol)<-[:ALIAS_OF*0..1]-(:Overstory:AprSymbol)<-[:HEAD|TAIL]-(:Overstory:AprEdge)<-[:HAS_EDGE]-(:Overstory:AprRun)-[:PART_OF]->(other:Overstory:Chunk)
  RETURN collect(DISTINCT other.id) AS chunks
}
WITH s, sources, chunks WHERE size(chunks) > 1
UNWIND sources AS source
WITH source, s, chunks ORDER BY source, s.id
RETURN collect([source, s.text, chunks]) AS names

// -- systems/apr/report
// Count the contents of AutoPrunedRetriever's index.
// Parameters: none
// Rows: entities, relations, edges, runs, facts, merged INTEGER; one row
CALL () { MATCH (s:{{corpus}}_AprEntity) RETURN count(s) AS entities }
CALL () { MATCH (s:{{corpus}}_AprRelation) RETURN count(s) AS relations }
CALL () { MATCH (e:{{corpus}}_AprEdge) RETURN count(e) AS edges }
CALL () { MATCH (r:{{corpus}}_AprRun) RETURN count(r) AS runs, coalesce(sum(r.size), 0) AS facts }
CALL () { MATCH (s:{{corpus}}_AprAlias) RETURN count(s) AS merged }
RETURN entities, relations, edges, runs, facts, merged

// -- systems/apr/texts
// Read the texts and sentence starts of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: id, text STRING; boilerplate LIST<INTEGER> (spans); sentences LIST<INTEGER> (first characters); unordered
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS id, c.text AS text, coalesce(c.boilerplate, []) AS boilerplate, coalesce(c.sentences, []) AS sentences

// -- systems/apr/facts
// Read the facts that some chunks state, in text order, and the entities they mention.
// Parameters: $ids LIST<STRING>
// Rows: id, title, text STRING; facts LIST<LIST> (by, number of the sentence or −1, subject, predicate, object); names
//   LIST<LIST> (key, LIST<STRING> of the types of its mentions); ordered
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS id, c.title AS title, c.text AS text, COLLECT {
  MATCH (c)<-[s:STATED_IN]-(f:Overstory:Fact)
  RETURN [s.by, coalesce(s.sentence, -1), f.subject, f.predicate, f.object] ORDER BY s.by, s.position, f.id
} AS facts, COLLECT {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.types IS NOT NULL
  RETURN [e.key, m.types] ORDER BY e.key, m.by
} AS names
ORDER BY id

// -- systems/apr/clear_runs
// Delete the runs of some chunks, and mark their edges for `remove_loose_edges`.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(r:Overstory:AprRun)
OPTIONAL MATCH (r)-[:HAS_EDGE]->(e:Overstory:AprEdge)
WITH collect(DISTINCT r) AS runs, collect(DISTINCT e) AS edges
FOREACH (e IN edges | SET e:$($corpus + '_AprLoose'))
FOREACH (r IN runs | DETACH DELETE r)
