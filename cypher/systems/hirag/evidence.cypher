// What is said of some entities and communities, each with the passages that it stands on, the strongest relations of some
// of these entities, and the stored bridges between the communities. Entities and communities of which nothing is said any
// more are left out.
// Parameters: $asked MAP {entities, communities LIST<STRING> (ids); nearest LIST<STRING> (ids of the entities whose
//   relations are read)} (in a map, since the server plans a statement again for each order of magnitude of a list);
//   $vector LIST<FLOAT>; $limit INTEGER (relations of an entity); $most INTEGER (passages of each, the most important)
// Rows: entities LIST<LIST> (id; description; ids of passages, the most important first); reports LIST<LIST> (ids of the
//   community and of its report; the report's properties; ids of passages); bridges LIST<LIST> (refs of the entities that
//   one goes through, from its first end to its last); related LIST<LIST> (of each relation: the id of the entity; of the
//   other its id, name, layer, cosine to the vector, description or null and ids of its passages; weight, description,
//   null where its passage is gone, and ids of the passages that state it; of each entity the strongest first); one
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
