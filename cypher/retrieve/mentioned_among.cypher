// Which entities some documents mention.
// Parameters: $ids LIST<STRING> (entities); $documents LIST<STRING> (ids);
//   $own LIST<STRING> (why a passage may be about a name: for its own words)
// Rows: ids LIST<STRING>; one
UNWIND $ids AS id
MATCH (e:Overstory {id: id, corpus: $corpus})
WHERE EXISTS {
  MATCH (e)<-[:MENTIONS]-(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document) WHERE d.id IN $documents
} OR EXISTS {
  MATCH (e)-[a:ABOUT]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WHERE a.source IN $own AND d.id IN $documents
}
RETURN collect(e.id) AS ids
