// Of some names those that became an entity of the graph, or are none any more, and the names that their chunks mention:
// a sentence ties its names the less the more there are.
// Parameters: $ids LIST<STRING>; $generation INTEGER; $most INTEGER (chunks of a name that are looked at)
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
WITH e, e.df > 0 AND (e.df > 1 OR EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Overstory:Fact) }) AS counts,
  EXISTS { MATCH (e)<-[:COVERS]-(leaf:Overstory:TretrieverNode) WHERE leaf.generation = $generation } AS stored
WHERE counts <> stored
CALL (e) {
  MATCH (e)<-[:MENTIONS]-(c:Overstory:Chunk)
  RETURN c LIMIT $most
}
WITH DISTINCT c
MATCH (c)-[:MENTIONS|ABOUT]-(other:Overstory:Entity)
RETURN DISTINCT other.id AS id
