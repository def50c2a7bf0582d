// Where paths go on among some passages: the names that these mention, or are about, and those that facts tie to a name.
// Parameters: $asked MAP {names LIST<MAP {id STRING (of an entity); chunks LIST<STRING> (ids of passages that mention it);
//   others LIST<STRING> (ids of entities that facts tie to it)}>; only LIST<STRING> or null (ids of the entities that are
//   wanted; all of them); subjects BOOLEAN (those that a passage is about are told although one passage alone mentions
//   them)} (in a map, since the server plans a statement again for each order of magnitude of a list);
//   $ends LIST<STRING> (ids of entities that are told although one passage alone mentions them);
//   $own LIST<STRING> (why a passage may be about a name: for its own words)
// Rows: as those of `retrieve/path_neighbours`
UNWIND range(0, size($asked.names) - 1) AS place
WITH place, $asked.names[place] AS asked
CALL (asked) {
  CALL (asked) {
    UNWIND asked.chunks AS id
    MATCH (c:Overstory {id: id})
    MATCH (c)-[m:MENTIONS|ABOUT]-(e:Overstory:Entity) WHERE type(m) = 'MENTIONS' OR m.source IN $own
    RETURN e
    UNION ALL
    UNWIND asked.others AS id
    MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
    RETURN e
  }
  RETURN DISTINCT e
}
WITH e, place, asked WHERE e.id <> asked.id AND ($asked.only IS NULL OR e.id IN $asked.only)
WITH e, collect(place) AS met
WITH e, met, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df
WHERE df > 1 OR e.id IN $ends OR ($asked.subjects AND e.subject)
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type, df, coalesce(e.df, 0) AS parsed,
  coalesce(e.subject, false) AND EXISTS { (e)-[:ABOUT {full: true}]->(:Overstory) } AS full, met
