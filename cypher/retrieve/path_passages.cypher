// The passages that mention some names, or are about them, and the names that facts tie to them, with the documents of both.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities)} (in a map, since the server plans a statement again for
//   each order of magnitude of a list); $most INTEGER (passages, and facts, of each name that are looked at);
//   $own LIST<STRING> (why a passage may be about a name: for its own words)
// Rows: id STRING; passages LIST<LIST<STRING>> (ids of a chunk and of its document); tied LIST<LIST<STRING>> (ids of the
//   other entity of a fact, and of a document that states it); one for each name that there is
UNWIND $asked.names AS id
MATCH (x:Overstory {id: id}) WHERE x:Entity AND x.corpus = $corpus
RETURN id,
  COLLECT {
    MATCH (x)-[m:MENTIONS|ABOUT]-(c:Overstory:Chunk) WHERE type(m) = 'MENTIONS' OR m.source IN $own
    WITH DISTINCT c LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, d.id]
  } AS passages,
  COLLECT {
    MATCH (x)<-[:SUBJECT|OBJECT]-(f:Overstory:Fact)
    WITH DISTINCT x, f LIMIT $most
    MATCH (f)-[:SUBJECT|OBJECT]->(e:Overstory:Entity) WHERE e <> x
    MATCH (f)-[:STATED_IN]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN DISTINCT [e.id, d.id]
  } AS tied
