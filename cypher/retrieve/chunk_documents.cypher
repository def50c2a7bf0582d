// The documents of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: documents LIST<LIST<STRING>> (ids of a chunk and of its document); one
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
RETURN collect([c.id, d.id]) AS documents
