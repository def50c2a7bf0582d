// Where some names lead: to chunks that are about one, and to those that mention it, if few do.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (chunks about a name); $most_shared INTEGER (chunks that may
//   mention a name that leads to all of them)
// Rows: names LIST<LIST> (key and name of each; chunks that mention it; the chunks that do, each with its first sentence
//   that says it, or -1, and the id of its document; the chunks that are about it, each with the weight and the id of its
//   document); one
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus AND e.dictionary_df IS NOT NULL
WITH e, e.dictionary_df AS df
RETURN collect([
  e.key, e.name, df,
  CASE WHEN df <= $most_shared THEN COLLECT {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, coalesce(head(m.sentences), -1), d.id]
  } ELSE [] END,
  CASE WHEN e.subject THEN COLLECT {
    MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, a.weight, d.id] ORDER BY a.weight DESC, c.id LIMIT $most
  } ELSE [] END
]) AS names
