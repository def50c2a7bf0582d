// Which documents mention the same names.
// Parameters: none
// Rows: one, other STRING (ids); weight FLOAT
MATCH (d:{{corpus}}_Document)<-[:PART_OF]-()-[:MENTIONS]->(e:Entity)<-[:MENTIONS]-()-[:PART_OF]->(o:{{corpus}}_Document)
WHERE d.id < o.id
RETURN d.id AS one, o.id AS other, toFloat(count(DISTINCT e)) AS weight ORDER BY one, other
