// Two names: the passages that mention both
// Parameters: $name, $other STRING (names or aliases; upper and lower case are one)
// Rows: together PATH; a picture of at most 25 passages
MATCH (a:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [a.name, a.key] + coalesce(a.aliases, []) | toLower(way)]
MATCH (b:Entity:{{corpus}})
WHERE toLower($other) IN [way IN [b.name, b.key] + coalesce(b.aliases, []) | toLower(way)] AND a <> b
MATCH together = (a)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(:{{corpus}}_Chunk)
  -[n:MENTIONS WHERE n.by <> 'dictionary']->(b)
RETURN together LIMIT 25
