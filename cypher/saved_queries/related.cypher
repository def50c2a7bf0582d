// Name: the facts around it
// Parameters: $name STRING (or an alias; upper and lower case are one)
// Rows: fact PATH; a picture of at most 50 relationships, those that are stated most often; or hint STRING, where there
//   are none
OPTIONAL MATCH (e:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [e.name, e.key] + coalesce(e.aliases, []) | toLower(way)]
OPTIONAL MATCH fact = (e)-[r:RELATED]-(:Entity:{{corpus}})
WITH e, fact, r ORDER BY r.weight DESC, r.predicate
WITH count(e) AS names, collect(fact)[..50] AS facts
UNWIND CASE facts WHEN [] THEN [null] ELSE facts END AS fact
RETURN fact, CASE
  WHEN fact IS NOT NULL THEN null
  WHEN names = 0 THEN 'No name in this corpus is written so: look for it with "Search: passages by their words".'
  ELSE 'No fact with two names has it: look at "Name: the passages that mention it".'
END AS hint LIMIT 50
