// Where paths go on by links: the names that are titles of the documents which links, in either direction, tie to those
// that have some names as titles; and how many links names have.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities); only LIST<STRING> or null (ids of the entities that are
//   wanted; all of them); met LIST<STRING> (ids of entities whose links are counted)} (in a map, since the server plans a
//   statement again for each order of magnitude of a list); $ends LIST<STRING> (ids of entities that may be a part of a
//   title); $documents INTEGER (of a name, that are looked at); $most INTEGER (links of a document that are looked at);
//   $most_links INTEGER (of a document; those of one with more are counted whatever their types and ends, unless it is
//   an end's); $hyperlink STRING (the type of links that lead nowhere)
// Rows: id, key, name, type STRING; df INTEGER (chunks that mention it); parsed INTEGER (those in which a parser saw a
//   name); full BOOLEAN; links INTEGER (that its documents have, each of an end $most + 1 at most); via LIST<LIST>
//   (for each link that leads to it the place in $asked.names of where it leads from, and the ids of both documents)
CALL () {
  UNWIND range(0, size($asked.names) - 1) AS place
  MATCH (x:Overstory {id: $asked.names[place]}) WHERE x:Entity AND x.corpus = $corpus
  CALL (x) {
    MATCH (x)-[a:ABOUT]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    WHERE a.source = 'title' AND (a.full OR x.id IN $ends)
    WITH d ORDER BY d.id LIMIT $documents
    CALL (d) {
      MATCH (d)-[l:LINKS]-(t:Overstory:Document) WHERE l.type <> $hyperlink AND t <> d
      RETURN t LIMIT $most
    }
    RETURN DISTINCT d, t
  }
  WITH t, collect([x, place, d.id]) AS sources
  MATCH (t)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0
  MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity)
  WHERE a.source = 'title' AND (a.full OR e.id IN $ends) AND ($asked.only IS NULL OR e.id IN $asked.only)
  UNWIND sources AS source
  WITH t, e, source WHERE e <> source[0]
  RETURN e, [source[1], source[2], t.id] AS link
  UNION ALL
  UNWIND $asked.met AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
  RETURN e, null AS link
}
WITH e, collect(DISTINCT link) AS via
CALL (e) {
  MATCH (e)-[a:ABOUT]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WHERE a.source = 'title' AND (a.full OR e.id IN $ends)
  WITH d ORDER BY d.id LIMIT $documents
  WITH d, COUNT { (d)-[:LINKS]->() } + COUNT { (d)<-[:LINKS]-() } AS degree
  RETURN sum(CASE WHEN degree > $most_links AND NOT e.id IN $ends THEN degree ELSE COUNT {
    MATCH (d)-[l:LINKS]-(t:Overstory:Document) WHERE l.type <> $hyperlink AND t <> d
    RETURN l LIMIT $most + 1
  } END) AS links
}
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type,
  CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df, coalesce(e.df, 0) AS parsed,
  true AS full, links, via
