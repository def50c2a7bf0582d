// Entities of which the mentions stage changed something.
// Parameters: $ids LIST<STRING>; $kinds LIST<STRING> (kinds of mentions whose types count); $never, $commands LIST<STRING> (types of names that
//   are not looked for; and of those that are not if they are words)
// Rows: entities LIST<MAP {id, key STRING; df INTEGER (chunks that mention it by the dictionary); subject BOOLEAN (a chunk
//   is about it); held BOOLEAN (something is left of it); linked BOOLEAN (the entities stage names it); found, found_word
//   BOOLEAN (as something that is looked for; also if it is a word); surfaces LIST<LIST> (a spelling and how often it
//   occurs), about_types LIST<LIST> (what headings and definitions take it for, and how often; both are empty where the
//   entities stage names it); common BOOLEAN (it is about chunks as a common word only)}>; one
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
WITH e, coalesce(e.said_in, 0) AS df, EXISTS { (e)-[:ABOUT]->(:Overstory) } AS subject,
  EXISTS { (e)-[a:ABOUT]->(:Overstory) WHERE a.common IS NULL } AS plain,
  EXISTS { (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by <> 'dictionary' } AS linked,
  EXISTS {
    (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by IN $kinds AND any(type IN m.types WHERE NOT type IN $never)
  } AS found
CALL (e, linked) {
  WITH e WHERE NOT linked
  MATCH (e)-[a:ABOUT]->(:Overstory) WHERE a.type IS NOT NULL
  WITH a.type AS type, count(*) AS n
  RETURN collect([type, n]) AS about_types
}
CALL (e, linked) {
  WITH e WHERE NOT linked
  CALL (e) {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(:Overstory)
    UNWIND m.surfaces AS surface
    RETURN surface
    UNION ALL
    MATCH (e)-[a:ABOUT]->(:Overstory) WHERE a.surface IS NOT NULL
    RETURN a.surface AS surface
  }
  WITH surface, count(*) AS n
  RETURN collect([surface, n]) AS surfaces
}
WITH e, df, subject, plain, linked, found, about_types, surfaces,
  found AND EXISTS {
    (e)<-[m:MENTIONS]-(:Overstory)
    WHERE m.by IN $kinds AND any(type IN m.types WHERE NOT type IN $never AND NOT type IN $commands)
  } AS found_word
RETURN collect({id: e.id, key: e.key, df: df, subject: subject, held: linked OR subject OR df > 0, linked: linked,
  found: found, found_word: found_word, about_types: about_types, common: subject AND NOT plain, surfaces: surfaces
}) AS entities
