// Names with the ends of their edges: names to which a relation leads, and passages that mention them.
// Parameters: none
// Rows: id STRING (of an entity); edges LIST<LIST> (the id of an entity or a passage, the weight)
MATCH (n:{{corpus}}_PagerankName)-[:STANDS_FOR]->(e)
RETURN e.id AS id,
  COLLECT { MATCH (n)-[r:RELATED_NAME]->()-[:STANDS_FOR]->(other) RETURN [other.id, r.weight] } +
  COLLECT { MATCH (e)<-[:MENTIONS]-(c:{{corpus}}_Chunk) RETURN DISTINCT [c.id, 1.0] } AS edges
