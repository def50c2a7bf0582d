// What passages say of pairs of names, whoever found the names in them.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities, the rarer one first)} (in a map, since the
//   server plans a statement again for each order of magnitude of a list); $most INTEGER (passages of a name that are
//   looked at); $least INTEGER, $share FLOAT (names in more passages than these, and than this share of all, say nothing
//   of what others are)
// Rows: pair INTEGER (its place in the list); read INTEGER (passages of the rarer name that were looked at);
//   together LIST<STRING> (ids of those that mention both); others LIST<STRING> (names that stand with either, in
//   different passages)
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND range(0, size($asked.pairs) - 1) AS pair
MATCH (x:Overstory {id: $asked.pairs[pair][0]}) WHERE x:Entity AND x.corpus = $corpus
MATCH (y:Overstory {id: $asked.pairs[pair][1]}) WHERE y:Entity AND y.corpus = $corpus
CALL (x) {
  MATCH (x)<-[:MENTIONS]-(c:Overstory:Chunk)
  WITH c LIMIT $most
  RETURN collect(DISTINCT c) AS ofx
}
CALL (y) {
  MATCH (y)<-[:MENTIONS]-(c:Overstory:Chunk)
  WITH c LIMIT $most
  RETURN collect(DISTINCT c) AS ofy
}
RETURN pair, size(ofx) AS read,
  COLLECT { UNWIND ofx AS c WITH c, y WHERE EXISTS { (c)-[:MENTIONS]->(y) } RETURN c.id } AS together,
  COLLECT {
    CALL (x, y, ofx, ofy, chunks) {
      UNWIND ofx AS c
      MATCH (c)-[:MENTIONS]->(e:Overstory:Entity) WHERE e <> x AND e <> y AND (e.df <= $least OR e.df <= $share * chunks)
      RETURN DISTINCT e
      UNION ALL
      UNWIND ofy AS c
      WITH x, y, c, chunks WHERE NOT c IN ofx
      MATCH (c)-[:MENTIONS]->(e:Overstory:Entity) WHERE e <> x AND e <> y AND (e.df <= $least OR e.df <= $share * chunks)
      RETURN DISTINCT e
    }
    WITH e, count(*) AS sides WHERE sides = 2
    RETURN e.name
  } AS others
