// Name: the facts around it
// Parameters: $name STRING (or an alias; upper and lower case are one)
// Rows: fact PATH; a picture of at most 50 relationships, those that are stated most often
MATCH (e:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [e.name, e.key] + coalesce(e.aliases, []) | toLower(way)]
MATCH fact = (e)-[r:RELATED]-(:Entity)
RETURN fact ORDER BY r.weight DESC, r.predicate LIMIT 50
