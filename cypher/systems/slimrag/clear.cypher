// Deletes what SlimRAG has of some documents, but for entities.
// Parameters: $ids LIST<STRING> (of documents)
// Rows: entities LIST<STRING> (ids of those that lost a sentence); one
UNWIND $ids AS id
MATCH (d:Overstory {id: id})<-[:PART_OF]-(c:{{corpus}}_Chunk)<-[:PART_OF]-(s:{{corpus}}_SlimSentence)
OPTIONAL MATCH (s)-[:REFERS_TO]->(e:{{corpus}}_SlimEntity)
WITH collect(DISTINCT s) AS sentences, collect(DISTINCT e.id) AS entities
FOREACH (s IN sentences | DETACH DELETE s)
RETURN entities
