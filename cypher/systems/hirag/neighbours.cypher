// An entity with its strongest relations.
// Parameters: $id STRING (the entity); $limit INTEGER (relations); $vector LIST<FLOAT>; $most INTEGER (passages of a
//   relation or a description)
// Rows: entities, relations LIST<LIST> (as `paths` returns them); one
CALL () {
  MATCH (e:Overstory {id: $id})-[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]-(other:{{corpus}}_HiragEntity)
  WITH r, other ORDER BY r.weight DESC, other.id LIMIT $limit
  RETURN collect(r) AS strongest
}
CALL (strongest) {
  UNWIND strongest AS r
  UNWIND [startNode(r), endNode(r)] AS e
  RETURN collect(DISTINCT e) AS met
}
RETURN COLLECT {
  UNWIND met AS e
  OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:{{corpus}}_HiragDescription)
  RETURN [e.id, e.name, e.layer, 2 * vector.similarity.cosine(e.embedding, $vector) - 1, d.text,
    COLLECT { MATCH (d)-[s:STANDS_ON]->(c:{{corpus}}_Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS entities, COLLECT {
  UNWIND strongest AS r
  WITH r, COLLECT {
    UNWIND coalesce(r.chunks, [])[..$most] AS id
    MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
    RETURN c.id
  } AS chunks
  RETURN [startNode(r).id, endNode(r).id, type(r), r.weight,
    CASE WHEN r.chunks IS NOT NULL AND NOT coalesce(r.chunks[0] IN chunks, false) THEN null ELSE coalesce(r.description, '') END,
    chunks]
} AS relations
