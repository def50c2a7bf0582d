// Which entities some documents mention.
// Parameters: $ids LIST<STRING> (entities); $documents LIST<STRING> (ids)
// Rows: ids LIST<STRING>; one
UNWIND $ids AS id
MATCH (e:Overstory {id: id})
WHERE EXISTS {
  MATCH (e)<-[:MENTIONS]-(:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document) WHERE d.id IN $documents
} OR EXISTS {
  MATCH (e)-[:ABOUT]->(:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document) WHERE d.id IN $documents
}
RETURN collect(e.id) AS ids
