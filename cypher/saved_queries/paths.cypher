// Two names: the shortest ways from one to the other
// Parameters: $name, $other STRING (names or aliases; upper and lower case are one)
// Rows: way PATH, sentences LIST<STRING> (one a step; the Table view shows them); a picture of at most 5 ways
MATCH (a:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [a.name, a.key] + coalesce(a.aliases, []) | toLower(way)]
MATCH (b:Entity:{{corpus}})
WHERE toLower($other) IN [way IN [b.name, b.key] + coalesce(b.aliases, []) | toLower(way)] AND a <> b
MATCH way = allShortestPaths((a)-[:RELATED*..5]-(b)) WHERE all(node IN nodes(way) WHERE node:{{corpus}})
RETURN way, [step IN relationships(way) | step.description] AS sentences ORDER BY length(way) LIMIT 5
