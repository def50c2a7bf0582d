// The next entities of which the mentions stage changed something.
// Parameters: $kinds LIST<STRING> (kinds of mentions whose types count); $limit INTEGER
// Rows: id, key STRING; df INTEGER (chunks that mention it by the dictionary); subject BOOLEAN (a chunk is about it);
//   held BOOLEAN (something is left of it); linked BOOLEAN (the entities stage names it); types LIST<STRING>;
//   surfaces LIST<LIST> (a spelling and how often it occurs; none where the entities stage names it);
//   about_types LIST<LIST> (what headings and definitions take it for, and how often); common BOOLEAN (it is about chunks
//   as a common word only)
MATCH (e:{{corpus}}_Changed:Entity)
WITH e LIMIT $limit
WITH e, COUNT { (e)<-[:MENTIONS {by: 'dictionary'}]-(:Overstory) } AS df, EXISTS { (e)-[:ABOUT]->(:Overstory) } AS subject,
  EXISTS { (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by <> 'dictionary' } AS linked
CALL (e) {
  MATCH (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by IN $kinds
  UNWIND m.types AS type
  RETURN collect(DISTINCT type) AS types
}
CALL (e) {
  MATCH (e)-[a:ABOUT]->(:Overstory)
  WITH coalesce(a.type, '') AS type, count(*) AS n, count(CASE WHEN a.common THEN 1 END) AS commons
  RETURN collect(CASE WHEN type <> '' THEN [type, n] END) AS about_types, sum(n) > 0 AND sum(commons) = sum(n) AS common
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
RETURN e.id AS id, e.key AS key, df, subject, linked OR subject OR df > 0 AS held, linked, types, about_types, common,
  coalesce(surfaces, []) AS surfaces
