// Which entities some documents mention.
// Parameters: $ids LIST<STRING> (entities); $documents LIST<STRING> (ids);
//   $own LIST<STRING> (why a passage may be about a name: for its own words)
// Rows: ids LIST<STRING>; one
UNWIND $ids AS id
MATCH (e:Overstory {id: id, corpus: $corpus})
WHERE EXISTS {
  MATCH (e)<-[:MENTIONS]-(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WITH d WHERE d.id IN $documents // after a WITH, or the server begins at all of these documents
  RETURN d
} OR EXISTS {
  MATCH (e)-[a:ABOUT]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WITH a, d WHERE a.source IN $own AND d.id IN $documents
  RETURN d
}
RETURN collect(e.id) AS ids
