// The passages that mention a name, or are about it, a page at a time.
// Parameters: $id STRING (of the entity); $most INTEGER (passages of the name that are looked at); $own LIST<STRING> (why a
//   passage may be about a name: for its own words); $skip, $limit INTEGER
// Rows: chunk STRING (id); by the title of the passage, and as its document has them
MATCH (x:Overstory {id: $id}) WHERE x:Entity AND x.corpus = $corpus
MATCH (x)-[m:MENTIONS|ABOUT]-(c:Overstory:Chunk) WHERE type(m) = 'MENTIONS' OR m.source IN $own
WITH DISTINCT c LIMIT $most
RETURN c.id AS chunk ORDER BY c.title, c.seq, c.id SKIP $skip LIMIT $limit
