// What links say of two names: those between documents that have one name and the other as their titles.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities)} (in a map, since the server plans a statement
//   again for each order of magnitude of a list); $ends LIST<STRING> (ids of entities that may be a part of a title);
//   $documents INTEGER (of a name, that are looked at); $most INTEGER (links of a pair that are told); $hyperlink STRING
//   (the type of links that say nothing)
// Rows: pair INTEGER (its place in the list); type, text STRING; subject, object STRING (the name that it starts from, and
//   the other one); chunks LIST<STRING> (the first of the document that it starts from, and of the other one);
//   documents LIST<STRING> (ids; that of the first name of the pair, and of the second); one a link
UNWIND range(0, size($asked.pairs) - 1) AS pair
MATCH (x:Overstory {id: $asked.pairs[pair][0]}) WHERE x:Entity AND x.corpus = $corpus
MATCH (y:Overstory {id: $asked.pairs[pair][1]}) WHERE y:Entity AND y.corpus = $corpus
CALL (x) {
  MATCH (x)-[a:ABOUT]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WHERE a.source = 'title' AND (a.full OR x.id IN $ends)
  RETURN c, d ORDER BY d.id LIMIT $documents
}
CALL (y) {
  MATCH (y)-[a:ABOUT]->(b:Overstory:Chunk)-[:PART_OF]->(t:Overstory:Document)
  WHERE a.source = 'title' AND (a.full OR y.id IN $ends)
  RETURN b, t ORDER BY t.id LIMIT $documents
}
CALL (x, y, c, d, b, t) {
  MATCH (d)-[l:LINKS]-(t) WHERE l.type <> $hyperlink AND d <> t
  RETURN l.type AS type, l.text AS text,
    CASE WHEN startNode(l) = d THEN x.name ELSE y.name END AS subject,
    CASE WHEN startNode(l) = d THEN y.name ELSE x.name END AS object,
    CASE WHEN startNode(l) = d THEN [c.id, b.id] ELSE [b.id, c.id] END AS chunks
  ORDER BY l.weight DESC, type, text LIMIT $most
}
RETURN pair, type, text, subject, object, chunks, [d.id, t.id] AS documents
