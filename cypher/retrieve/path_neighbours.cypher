// Where paths go on: the names that passages mention, or are about, together with some names, or facts tie to them.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities); only LIST<STRING> or null (ids of the entities that are
//   wanted; all of them); subjects BOOLEAN (those that a passage is about are told although one passage alone mentions
//   them)} (in a map, since the server plans a statement again for each order of magnitude of a list);
//   $most INTEGER (passages, and facts, of each name that are looked at);
//   $ends LIST<STRING> (ids of entities that are told although one passage alone mentions them)
// Rows: id, key, name, type STRING; df INTEGER (chunks that mention it); parsed INTEGER (those in which a parser saw a
//   name); full BOOLEAN (a passage has it as its own name); met LIST<INTEGER> (places in the list of those it is with)
UNWIND range(0, size($asked.names) - 1) AS place
MATCH (x:Overstory {id: $asked.names[place]}) WHERE x:Entity AND x.corpus = $corpus
CALL (x) {
  CALL (x) {
    MATCH (x)-[:MENTIONS|ABOUT]-(c:Overstory:Chunk)
    WITH DISTINCT c LIMIT $most
    MATCH (c)-[:MENTIONS|ABOUT]-(e:Overstory:Entity)
    RETURN e
    UNION ALL
    MATCH (x)-[:RELATED]-(e:Overstory:Entity)
    RETURN e LIMIT $most
  }
  RETURN DISTINCT e
}
WITH e, place WHERE e <> x AND ($asked.only IS NULL OR e.id IN $asked.only)
WITH e, collect(place) AS met
WITH e, met, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df 
WHERE df > 1 OR e.id IN $ends OR ($asked.subjects AND e.subject)
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type, df, coalesce(e.df, 0) AS parsed,
  coalesce(e.subject, false) AND EXISTS { (e)-[:ABOUT {full: true}]->(:Overstory) } AS full, met
