// Deletes what SlimRAG has of some documents, but for entities and vectors.
// Parameters: $ids LIST<STRING> (of documents)
// Rows: entities, vectors LIST<STRING> (ids of those that lost a sentence); one
UNWIND $ids AS id
MATCH (d:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)<-[:PART_OF]-(s:Overstory:SlimSentence)
OPTIONAL MATCH (s)-[:REFERS_TO]->(e:Overstory:SlimEntity)
OPTIONAL MATCH (s)-[:HAS_VECTOR]->(v:Overstory:DerivedVector)
WITH collect(DISTINCT s) AS sentences, collect(DISTINCT e.id) AS entities, collect(DISTINCT v.id) AS vectors
FOREACH (s IN sentences | DETACH DELETE s)
RETURN entities, vectors
