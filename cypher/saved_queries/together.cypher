// Two names: the passages that mention both
// Parameters: $name, $other STRING (names or aliases; upper and lower case are one)
// Rows: together PATH; a picture of at most 25 passages, each with one relationship to either name
MATCH (a:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [a.name, a.key] + coalesce(a.aliases, []) | toLower(way)]
MATCH (b:Entity:{{corpus}})
WHERE toLower($other) IN [way IN [b.name, b.key] + coalesce(b.aliases, []) | toLower(way)] AND a <> b
MATCH (a)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(c:{{corpus}}_Chunk)-[n:MENTIONS WHERE n.by <> 'dictionary']->(b)
WITH a, b, c, m, n ORDER BY m.count DESC, n.count DESC, m.by, n.by
WITH a, b, c, collect(m)[0] AS to_one, collect(n)[0] AS to_other
WITH a, b, c, to_one, to_other ORDER BY to_one.count + to_other.count DESC, c.title, c.seq LIMIT 25
MATCH together = (a)<-[to_one]-(c)-[to_other]->(b)
RETURN together
