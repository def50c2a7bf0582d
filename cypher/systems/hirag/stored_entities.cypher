// The entities of a generation with what is said of them.
// Parameters: $generation INTEGER
// Rows: ref, key, name, type, cluster STRING; layer INTEGER; entity STRING (id of what it stands for, null for none);
//   text, by, source STRING (null where the description was deleted with a passage); chunks LIST<STRING> (ids)
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
OPTIONAL MATCH (e)-[:STANDS_FOR]->(entity:Overstory:Entity)
OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
RETURN e.ref AS ref, e.key AS key, e.name AS name, e.type AS type, e.cluster AS cluster, e.layer AS layer,
  entity.id AS entity, d.text AS text, e.by AS by, d.source AS source,
  COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks
