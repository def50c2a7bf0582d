// Document: the runs of facts of its first passage
// Parameters: $document STRING (title, id or source of a document)
// Rows: run, fact PATH (from the passage to the facts of a run, of each fact to its names); a picture of at most 12 runs.
//   Needs overstory index --system apr
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(c:{{corpus}}_Chunk) WHERE EXISTS { (c)<-[:PART_OF]-(:{{corpus}}_AprRun) }
WITH c ORDER BY c.seq LIMIT 1
MATCH (c)<-[:PART_OF]-(r:{{corpus}}_AprRun)
WITH c, r ORDER BY r.seq LIMIT 12
MATCH run = (c)<-[:PART_OF]-(r)-[:HAS_EDGE]->(e:{{corpus}}_AprEdge)
MATCH fact = (e)-[:HEAD|TAIL]->(:{{corpus}}_AprEntity)
RETURN run, fact
