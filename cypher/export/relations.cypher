// Relationships between entities.
// Parameters: none
// Rows: subject, predicate, object, description STRING; weight INTEGER
MATCH (s:Entity:{{corpus}})-[r:RELATED]->(o:Entity:{{corpus}})
RETURN s.key AS subject, r.predicate AS predicate, o.key AS object, r.weight AS weight, r.description AS description
