// What is said of some entities and communities, each with the passages that it stands on, and the stored bridges between
// these communities. Entities and communities of which nothing is said any more are left out.
// Parameters: $asked MAP {entities, communities LIST<STRING> (ids)} (in a map, since the server plans a statement again
//   for each order of magnitude of a list); $most INTEGER (passages of each, the most important)
// Rows: entities LIST<LIST> (id; description; ids of passages, the most important first); reports LIST<LIST> (ids of the
//   community and of its report; the report's properties; ids of passages); bridges LIST<LIST> (refs of the entities that
//   one goes through, from its first end to its last); one
RETURN COLLECT {
  UNWIND $asked.entities AS id
  MATCH (:Overstory {id: id})-[:HAS_DESCRIPTION]->(d:{{corpus}}_HiragDescription)
  RETURN [id, d.text, COLLECT { MATCH (d)-[s:STANDS_ON]->(c:{{corpus}}_Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS entities, COLLECT {
  UNWIND $asked.communities AS id
  MATCH (t:Overstory {id: id})-[:HAS_REPORT]->(r:{{corpus}}_HiragReport)
  RETURN [id, r.id, properties(r),
    COLLECT { MATCH (r)-[s:STANDS_ON]->(c:{{corpus}}_Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS reports, COLLECT {
  UNWIND $asked.communities AS id
  MATCH (:Overstory {id: id})-[b:BRIDGE]->(t:{{corpus}}_HiragCommunity) WHERE t.id IN $asked.communities
  RETURN b.refs
} AS bridges
