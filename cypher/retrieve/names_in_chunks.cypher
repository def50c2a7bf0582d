// The names that some passages mention, or have as titles, headings and definitions, and how these write them.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: id, key STRING (of an entity); surfaces LIST<STRING> (one for each time that it is written in the text);
//   titled LIST<STRING> (as titles, headings and definitions write it); chunks INTEGER
UNWIND $chunks AS chunk
MATCH (c:Overstory {id: chunk}) WHERE c:Chunk AND c.corpus = $corpus
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity)
  RETURN e, coalesce(m.surfaces, []) AS surfaces, [] AS titled
  UNION ALL
  MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity) WHERE a.surface IS NOT NULL
  RETURN e, [] AS surfaces, [a.surface] AS titled
}
WITH e, collect(DISTINCT c) AS chunks, collect(surfaces) AS written, collect(titled) AS titles
RETURN e.id AS id, e.key AS key, size(chunks) AS chunks,
  reduce(all = [], some IN written | all + some) AS surfaces, reduce(all = [], some IN titles | all + some) AS titled
