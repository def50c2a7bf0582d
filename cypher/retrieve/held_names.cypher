// Some names of the dictionary, with the chunks that mention them or are about them. Those that mention a name which leads
// nowhere and is no seed are left out.
// Parameters: $ids LIST<STRING> (of entities); $most_shared INTEGER (chunks that may mention a name which leads to all of
//   them)
// Rows: names LIST<LIST> (id, key and name of each; chunks that mention it; 1 if a chunk is about it, plus 2 if one defines
//   it or has it as heading, plus 4 if ways lead by it; the chunks that mention it, each with the first sentence that
//   does, or -1; those that are about it, each with the weight); one
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus AND e.dictionary_df IS NOT NULL
WITH e, e.dictionary_df AS df, coalesce(e.subject, false) AS subject
WITH e, df, subject,
  subject AND EXISTS { (e)-[a:ABOUT]->(:Overstory:Chunk) WHERE a.source IN ['definition', 'heading'] } AS term
RETURN collect([
  e.id, e.key, e.name, df,
  CASE WHEN subject THEN 1 ELSE 0 END + CASE WHEN term THEN 2 ELSE 0 END
    + CASE WHEN subject OR 2 <= df <= $most_shared THEN 4 ELSE 0 END,
  CASE WHEN subject OR df <= $most_shared THEN COLLECT {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)
    RETURN [c.id, coalesce(head(m.sentences), -1)]
  } ELSE [] END,
  COLLECT { MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk) RETURN [c.id, a.weight] }
]) AS names
