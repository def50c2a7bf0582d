// Name: the passages that mention it
// Parameters: $name STRING (or an alias; upper and lower case are one)
// Rows: mention PATH; a picture of at most 25 passages
MATCH (e:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [e.name, e.key] + coalesce(e.aliases, []) | toLower(way)]
MATCH mention = (e)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(:{{corpus}}_Chunk)
RETURN mention LIMIT 25
