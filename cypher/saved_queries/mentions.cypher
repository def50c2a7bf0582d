// Name: the passages that mention it
// Parameters: $name STRING (or an alias; upper and lower case are one)
// Rows: mention PATH; a picture of at most 25 passages, those that mention it most often, each by one relationship
MATCH (e:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [e.name, e.key] + coalesce(e.aliases, []) | toLower(way)]
MATCH (e)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(c:{{corpus}}_Chunk)
WITH e, c, m ORDER BY m.count DESC, m.by
WITH e, c, collect(m)[0] AS most
WITH e, c, most ORDER BY most.count DESC, c.title, c.seq LIMIT 25
MATCH mention = (e)<-[most]-(c)
RETURN mention
