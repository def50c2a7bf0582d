// The names that some chunks mention, and where these lead: to chunks that are about one, to others that mention it too.
// Parameters: $sources LIST<STRING> (ids of chunks); $asked LIST<STRING> (keys of names that lead nowhere: those of the
//   question); $most INTEGER (chunks about a name); $most_shared INTEGER (chunks that may mention a name that leads to all
//   of them)
// Rows: names LIST<LIST> (key and name of each; chunks that mention it; the sources that do, each with its first sentence
//   that says it, or -1; all of the chunks that do, each with that sentence and the id of its document; the chunks that
//   are about it, each with the weight and the id of its document); one
UNWIND $sources AS source
MATCH (:Overstory {id: source, corpus: $corpus})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory:Entity)
WITH source, m, e, e.dictionary_df AS df, e.key AS key
WHERE (e.subject OR 2 <= df <= $most_shared) AND NOT key IN $asked
WITH e, key, df, collect([source, coalesce(head(m.sentences), -1)]) AS sources
RETURN collect([
  key, e.name, df, sources,
  CASE WHEN 2 <= df <= $most_shared THEN COLLECT {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, coalesce(head(m.sentences), -1), d.id]
  } ELSE [] END,
  CASE WHEN e.subject THEN COLLECT {
    MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, a.weight, d.id] ORDER BY a.weight DESC, c.id LIMIT $most
  } ELSE [] END
]) AS names
