// -- systems/hirag/coarsest
// Read the most important reports of the coarsest communities.
// Parameters: $root STRING (id of the tree's root); $level INTEGER (lowest level, 1 or 2); $limit INTEGER; $most
//   INTEGER (passages per report, most important first)
// Rows: reports LIST<LIST> (id, level and size of the community; id of its report; properties of the report; ids of
//   passages); one row
RETURN COLLECT {
  MATCH (:Overstory {id: $root, corpus: $corpus})<-[:CHILD_OF*1..2]-(t:Overstory:HiragCommunity)-[:HAS_REPORT]->(r:Overstory:HiragReport)
  WHERE t.level <= $level
  WITH t, r ORDER BY r.rating * log(1 + t.size) DESC, t.id LIMIT $limit
  RETURN [t.id, t.level, t.size, r.id, properties(r),
    COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS reports

// -- systems/hirag/evidence
// Read descriptions of entities and reports of communities with their passages, the strongest relations of some of
// these entities, and stored bridges between the communities. Entities and communities without a text are left out.
// $asked is a map, because the server plans a statement again for each order of magnitude of a list.
// Parameters: $asked MAP {entities, communities LIST<STRING> (ids); nearest LIST<STRING> (ids of entities whose
//   relations are read)}; $vector LIST<FLOAT>; $limit INTEGER (relations per entity); $most INTEGER (passages per text)
// Rows: entities LIST<LIST> (id; description; ids of passages, most important first); reports LIST<LIST> (ids of the
//   community and its report; properties of the report; ids of passages); bridges LIST<LIST> (refs of the entities of a
//   bridge, in order); related LIST<LIST> (per relation: id of the entity; id, name, layer, cosine, description or
//   null, and passage ids of the other; weight; description, null if its passage is gone; ids of the passages that
//   state it; strongest first); one row
RETURN COLLECT {
  UNWIND $asked.entities AS id
  MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
  RETURN [id, d.text, COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS entities, COLLECT {
  UNWIND $asked.communities AS id
  MATCH (t:Overstory {id: id, corpus: $corpus})-[:HAS_REPORT]->(r:Overstory:HiragReport)
  RETURN [id, r.id, properties(r),
    COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS reports, COLLECT {
  UNWIND $asked.communities AS id
  MATCH (:Overstory {id: id, corpus: $corpus})-[b:BRIDGE]->(t:Overstory:HiragCommunity) WHERE t.id IN $asked.communities
  RETURN b.refs
} AS bridges, COLLECT {
  UNWIND $asked.nearest AS id
  MATCH (e:Overstory {id: id}) WHERE e:HiragEntity AND e.corpus = $corpus
  CALL (e) {
    MATCH (e)-[r:HIRAG_RELATED]-(other:Overstory:HiragEntity)
    RETURN r, other ORDER BY r.weight DESC, other.id LIMIT $limit
  }
  OPTIONAL MATCH (other)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
  WITH id, r, other, d, COLLECT {
    UNWIND r.chunks[..$most] AS stated
    MATCH (c:Overstory {id: stated}) WHERE c:Chunk AND c.corpus = $corpus
    RETURN c.id
  } AS chunks
  RETURN [id,
    other.id, other.name, other.layer, 2 * vector.similarity.cosine(other.embedding, $vector) - 1, d.text,
    COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most },
    r.weight, CASE WHEN coalesce(r.chunks[0] IN chunks, false) THEN r.description END, chunks]
} AS related

// -- systems/hirag/hubs
// Find the entities of layer 0 that occur in very many passages, because a path through them seldom means a connection.
// Parameters: $generation INTEGER; $share FLOAT (of the passages), $least INTEGER (passages): both must be exceeded
// Rows: hubs LIST<STRING> (ids); one row
MATCH (corpus:Overstory:Corpus {id: $corpus})
MATCH (n:Overstory:HiragEntity {corpus: $corpus, generation: $generation})-[:STANDS_FOR]->(e:Overstory:Entity)
USING INDEX SEEK n:HiragEntity(corpus, generation)
WHERE e.df > $least AND e.df > $share * corpus.chunks
RETURN collect(n.id) AS hubs

// -- systems/hirag/nearest_exact
// Find the entities of all layers nearest to a vector, and their communities. Compares all entities.
// Parameters: $vector LIST<FLOAT>; $limit INTEGER; $generation INTEGER
// Rows: found LIST<LIST> (id, name, type, layer, cosine, id of the bottom community or ""; nearest first); communities
//   LIST<LIST> (per community with one of them: id, level, size, rating or null, ids of its bottom communities); one
//   row
CALL () {
  MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
  USING INDEX SEEK e:HiragEntity(corpus, generation)
  WHERE e.embedding IS NOT NULL
  WITH e, 2 * vector.similarity.cosine(e.embedding, $vector) - 1 AS cosine ORDER BY cosine DESC, e.id LIMIT $limit
  RETURN collect([e, cosine]) AS nearest
}
CALL (nearest) {
  UNWIND nearest AS one
  WITH one[0] AS e, one[1] AS cosine
  OPTIONAL MATCH (e)<-[:COVERS]-(leaf:Overstory:HiragCommunity)-[:CHILD_OF]->(t:Overstory:HiragCommunity)
  WHERE leaf.tree = 'hirag'
  WITH e, cosine, t ORDER BY cosine DESC, e.id
  RETURN collect([e.id, e.name, e.type, e.layer, cosine, coalesce(t.id, '')]) AS found, collect(DISTINCT t) AS bottoms
}
CALL (bottoms) {
  UNWIND bottoms AS bottom
  MATCH (bottom:Overstory:HiragCommunity)-[:CHILD_OF*0..]->(t:Overstory:HiragCommunity)
  WITH t, collect(bottom.id) AS below
  OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:Overstory:HiragReport)
  RETURN collect([t.id, t.level, t.size, r.rating, below]) AS communities
}
RETURN found, communities

// -- systems/hirag/nearest_index
// Find the same with the vector index of a generation.
// Parameters: $vector_index STRING; $vector_depth INTEGER (results to request from the index); $vector LIST<FLOAT>;
//   $limit INTEGER
// Rows: as in nearest_exact; near INTEGER (entities that the index returned); one row
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS e, score
  // since: MATCH (e) SEARCH e IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH e, score ORDER BY score DESC, e.id
  RETURN collect([e, 2 * score - 1]) AS nearest
}
CALL (nearest) {
  UNWIND nearest[..$limit] AS one
  WITH one[0] AS e, one[1] AS cosine
  OPTIONAL MATCH (e)<-[:COVERS]-(leaf:Overstory:HiragCommunity)-[:CHILD_OF]->(t:Overstory:HiragCommunity)
  WHERE leaf.tree = 'hirag'
  WITH e, cosine, t ORDER BY cosine DESC, e.id
  RETURN collect([e.id, e.name, e.type, e.layer, cosine, coalesce(t.id, '')]) AS found, collect(DISTINCT t) AS bottoms
}
CALL (bottoms) {
  UNWIND bottoms AS bottom
  MATCH (bottom:Overstory:HiragCommunity)-[:CHILD_OF*0..]->(t:Overstory:HiragCommunity)
  WITH t, collect(bottom.id) AS below
  OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:Overstory:HiragReport)
  RETURN collect([t.id, t.level, t.size, r.rating, below]) AS communities
}
RETURN found, communities, size(nearest) AS near

// -- systems/hirag/paths
// Find short paths between pairs of entities (of the shortest, the one with the strongest relations), and all relations
// between the entities on them. Paths avoid hubs and summaries written by rules. $asked is a map, because the server
// plans a statement again for each order of magnitude of a list.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities); known LIST<LIST<STRING>> (ids of the entities
//   of known paths)}; $hubs LIST<STRING> (ids of entities to avoid); $through BOOLEAN (paths may go through summaries);
//   $vector LIST<FLOAT>; $most INTEGER (passages per relation or description)
// Rows: paths LIST<LIST> (per connected pair: its position in the list; ids of the entities in order); entities
//   LIST<LIST> (per entity on a path: id, name, layer, cosine, description or null, ids of its passages); relations
//   LIST<LIST> (ids of both ends, type, weight, description or "", null if its passage is gone, ids of the passages
//   that state it); one row
CALL () {
  UNWIND range(0, size($asked.pairs) - 1) AS place
  MATCH (a:Overstory {id: $asked.pairs[place][0]}) WHERE a:HiragEntity AND a.corpus = $corpus
  MATCH (b:Overstory {id: $asked.pairs[place][1]}) WHERE b:HiragEntity AND b.corpus = $corpus
  CALL (a, b) {
    MATCH way = SHORTEST 10 (a)(()-[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]-
      (n:Overstory:HiragEntity WHERE n = b OR ((n.layer = 0 OR $through) AND NOT n.id IN $hubs))){1,4}(b)
    WITH nodes(way) AS met, reduce(cost = 0.0, step IN r | cost + step.cost) AS cost
    RETURN met ORDER BY cost, [n IN met | n.id] LIMIT 1
  }
  RETURN collect([place, met]) AS found
}
CALL () {
  UNWIND $asked.known AS ids
  UNWIND ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:HiragEntity AND e.corpus = $corpus
  RETURN collect(DISTINCT e) AS known
}
CALL (found, known) {
  UNWIND reduce(all = known, one IN found | all + one[1]) AS e
  RETURN collect(DISTINCT e) AS met
}
RETURN [one IN found | [one[0], [e IN one[1] | e.id]]] AS paths, COLLECT {
  UNWIND met AS e
  OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
  RETURN [e.id, e.name, e.layer, 2 * vector.similarity.cosine(e.embedding, $vector) - 1, d.text,
    COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS entities, COLLECT {
  UNWIND met AS e
  MATCH (e)-[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]->(other:Overstory:HiragEntity) WHERE other IN met
  WITH e, r, other, COLLECT {
    UNWIND coalesce(r.chunks, [])[..$most] AS id
    MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
    RETURN c.id
  } AS chunks
  RETURN [e.id, other.id, type(r), r.weight,
    CASE WHEN r.chunks IS NOT NULL AND NOT coalesce(r.chunks[0] IN chunks, false) THEN null ELSE coalesce(r.description, '') END,
    chunks]
} AS relations
