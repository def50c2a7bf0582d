// The names that may become entities of a graph: in two passages or more, or in a fact. What only the dictionary found
// does not count.
// Parameters: none
// Rows: id, key, name, type STRING; in no particular order
MATCH (e:Entity:{{corpus}})
WHERE e.df > 0 AND (e.df > 1 OR EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Fact:{{corpus}}) })
RETURN e.id AS id, e.key AS key, e.name AS name, coalesce(e.type, '') AS type
