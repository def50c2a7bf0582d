// The entities of layer 0 whose names very many passages have: what a path through one joins has seldom to do with each other.
// Parameters: $share FLOAT (of the passages), $least INTEGER (passages): an entity has more than both
// Rows: hubs LIST<STRING> (ids); one
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
MATCH (n:{{corpus}}_HiragEntity)-[:STANDS_FOR]->(e:{{corpus}}_Entity) WHERE e.df > $least AND e.df > $share * chunks
RETURN collect(n.id) AS hubs
