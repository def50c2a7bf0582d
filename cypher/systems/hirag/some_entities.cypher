// Some entities with what is said of them.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; and as those of `stored_entities`
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:HiragEntity AND e.corpus = $corpus
OPTIONAL MATCH (e)-[:STANDS_FOR]->(entity:Overstory:Entity)
OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
RETURN id, e.ref AS ref, e.key AS key, e.name AS name, e.type AS type, e.cluster AS cluster, e.layer AS layer,
  entity.id AS entity, d.text AS text, e.by AS by, d.source AS source,
  COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks
