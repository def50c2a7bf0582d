// The names that some chunks mention, and where these lead: to chunks that are about one, to others that mention it too.
// Parameters: $sources LIST<STRING> (ids of chunks); $asked LIST<STRING> (keys of names that lead nowhere: those of the
//   question); $forward BOOLEAN (whether chunks about a name are wanted); $most INTEGER (of them, for a name);
//   $most_shared INTEGER (chunks that may mention a name that leads to all of them)
// Rows: key, name STRING; df INTEGER (chunks that mention it); sources, shared LIST<LIST> (a chunk that
//   mentions it, and its sentences that say it, maybe none), about LIST<LIST> (a chunk and the weight)
UNWIND $sources AS source
MATCH (:Overstory {id: source})-[m:MENTIONS {by: 'dictionary'}]->(e:Entity:{{corpus}})
WITH source, m, e, e.dictionary_df AS df, e.key AS key
WHERE (($forward AND e.subject) OR 2 <= df <= $most_shared) AND NOT key IN $asked
WITH e, key, df, collect([source, m.sentences]) AS sources
RETURN key, e.name AS name, df, sources,
  CASE WHEN $forward AND e.subject THEN COLLECT {
    MATCH (e)-[a:ABOUT]->(c:{{corpus}}_Chunk)
    RETURN [c.id, a.weight] ORDER BY a.weight DESC, c.id LIMIT $most
  } ELSE [] END AS about,
  CASE WHEN 2 <= df <= $most_shared THEN [
    (c:{{corpus}}_Chunk)-[m:MENTIONS {by: 'dictionary'}]->(e) | [c.id, m.sentences]
  ] ELSE [] END AS shared
