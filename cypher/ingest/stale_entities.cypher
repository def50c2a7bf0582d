// Entities to be named: how texts call them, as what, and in how many chunks. Reads each of their mentions once: a
// name costs what mentions it.
// Parameters: $ids LIST<STRING>; $kinds LIST<STRING> (kinds of mentions that count)
// Rows: entities LIST<MAP {id, key STRING; held BOOLEAN (something else still mentions it, or it is about something);
//   df INTEGER; surfaces, types LIST<LIST> (a string and how often it occurs)}>; one
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  MATCH (c:Overstory:Chunk)-[m:MENTIONS]->(e) WHERE m.by IN $kinds
  RETURN count(DISTINCT c) AS df, collect(m.surfaces) AS all_surfaces, collect(m.types) AS all_types
}
CALL (all_surfaces) {
  UNWIND all_surfaces AS some
  UNWIND some AS surface
  WITH surface, count(*) AS n
  RETURN collect([surface, n]) AS surfaces
}
CALL (all_types) {
  UNWIND all_types AS some
  UNWIND some AS type
  WITH type, count(*) AS n
  RETURN collect([type, n]) AS types
}
WITH e, EXISTS { (e)<-[:MENTIONS]-() } OR EXISTS { (e)-[:ABOUT]->() } AS held, df, surfaces, types
RETURN collect({id: e.id, key: e.key, held: held, df: df, surfaces: surfaces, types: types}) AS entities
