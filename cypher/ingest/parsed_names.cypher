// The names that some kinds of mentions found, together with all that were taken for the same.
// Parameters: $kinds LIST<STRING>
// Rows: types, keys LIST<STRING>
MATCH (:{{corpus}}_Chunk)-[m:MENTIONS]->(e:Entity:{{corpus}}) WHERE m.by IN $kinds
UNWIND m.types AS type
WITH e, collect(DISTINCT type) AS types
RETURN types, collect(e.key) AS keys
