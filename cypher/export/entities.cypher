// What the entities stage made of entities; those that only the dictionary knows are not its work.
// Parameters: none
// Rows: key, name, type STRING; aliases LIST<STRING>; df INTEGER
MATCH (e:Entity:{{corpus}}) WHERE EXISTS { (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by <> 'dictionary' }
RETURN e.key AS key, e.name AS name, e.type AS type, e.aliases AS aliases, e.df AS df
