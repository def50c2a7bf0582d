// The names that some passages mention, and how these write them.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: id, key, name STRING (of an entity); surfaces LIST<STRING> (one for each time that it is written); chunks INTEGER
UNWIND $chunks AS chunk
MATCH (c:Overstory {id: chunk}) WHERE c:{{corpus}}_Chunk
MATCH (c)-[m:MENTIONS]->(e:Entity:{{corpus}})
WITH e, collect(DISTINCT c) AS chunks, collect(coalesce(m.surfaces, [])) AS written
RETURN e.id AS id, e.key AS key, e.name AS name, size(chunks) AS chunks,
  reduce(all = [], some IN written | all + some) AS surfaces
