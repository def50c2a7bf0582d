// What is known of some names, those that are there: what the mentions stage last made of them, and what chunks other than
// some are about by themselves.
// Parameters: $rows LIST<MAP {id STRING; except LIST<STRING> or null (types for which a name is not looked for; null where
//   it never is)}>; $chunks LIST<STRING> (ids of the chunks left out); $own LIST<STRING> (sources of what a chunk is about by
//   itself); $kinds LIST<STRING> (kinds of mentions that find names)
// Rows: key STRING; known, known_subject BOOLEAN (the stage last looked for it in all texts; a chunk was about it); named,
//   lead, plain BOOLEAN (a chunk is about it; by its full name; and not as a common word); parsed BOOLEAN (some kind of mentions found it
//   as something that is looked for)
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:Entity AND e.corpus = $corpus
RETURN e.key AS key, e.dictionary_df IS NOT NULL AND NOT coalesce(e.common, false) AS known,
  coalesce(e.subject, false) AS known_subject,
  EXISTS { (e)-[a:ABOUT]->(c:Overstory) WHERE a.source IN $own AND NOT c.id IN $chunks } AS named,
  EXISTS { (e)-[a:ABOUT]->(c:Overstory) WHERE a.full AND a.source IN $own AND NOT c.id IN $chunks } AS lead,
  EXISTS {
    (e)-[a:ABOUT]->(c:Overstory) WHERE a.common IS NULL AND a.source IN $own AND NOT c.id IN $chunks
  } AS plain,
  row.except IS NOT NULL AND EXISTS {
    (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by IN $kinds AND any(type IN m.types WHERE NOT type IN row.except)
  } AS parsed
