// A value for the saved queries on SeRAG: a document that is linked to the one that the others take.
// Parameters: $found MAP {document STRING (a title)}
// Rows: other_document STRING, null where the corpus has none; one
OPTIONAL MATCH (d:{{corpus}}_Document)<-[:PART_OF]-(:{{corpus}}_Chunk)-[l:LINKED]-(:{{corpus}}_Chunk)-[:PART_OF]->(o:{{corpus}}_Document)
WHERE d.title = $found.document AND o <> d AND o.title <> '' AND l.weight IS NOT NULL
WITH o ORDER BY l.weight DESC, o.title LIMIT 1
RETURN o.title AS other_document
