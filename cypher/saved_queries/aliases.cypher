// Names: those that are written in most ways
// Parameters: none
// Rows: name, type STRING; ways INTEGER; aliases LIST<STRING> (the most frequent first); most ways first
MATCH (e:Entity:{{corpus}}) WHERE size(e.aliases) > 0
RETURN e.name AS name, e.type AS type, 1 + size(e.aliases) AS ways, e.aliases AS aliases
ORDER BY ways DESC, name LIMIT 50
