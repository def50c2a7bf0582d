// The names that some kinds of mentions found, and what they were taken for.
// Parameters: $kinds LIST<STRING>
// Rows: key STRING; types LIST<STRING>
MATCH (:{{corpus}}_Chunk)-[m:MENTIONS]->(e:Entity:{{corpus}}) WHERE m.by IN $kinds
UNWIND m.types AS type
RETURN e.key AS key, collect(DISTINCT type) AS types
