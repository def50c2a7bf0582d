// Which names facts relate.
// Parameters: none
// Rows: one, other STRING (ids); weight FLOAT
MATCH (e:{{corpus}}_Entity)-[r:RELATED]->(o:{{corpus}}_Entity) WHERE e.df > 0 AND o.df > 0
RETURN e.id AS one, o.id AS other, toFloat(sum(r.weight)) AS weight ORDER BY one, other
