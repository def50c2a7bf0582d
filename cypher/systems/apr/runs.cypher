// Some runs, and all runs of some chunks, each once, with the edges of each.
// Parameters: $ids LIST<STRING> (of runs); $chunks LIST<STRING> (ids)
// Rows: runs LIST<LIST> (id of a run, id of its chunk, LIST<STRING> of the ids of its edges in order); one
CALL () {
  UNWIND $ids AS id
  MATCH (r:Overstory {id: id})-[:PART_OF]->(c:Overstory:Chunk) WHERE r:AprRun AND r.corpus = $corpus
  RETURN r, c
  UNION
  UNWIND $chunks AS id
  MATCH (c:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(r:Overstory:AprRun)
  RETURN r, c
}
WITH r, c, COLLECT { MATCH (r)-[h:HAS_EDGE]->(e:Overstory:AprEdge) RETURN e.id ORDER BY h.position } AS edges
WITH r.id AS run, c.id AS chunk, edges
WHERE run IS NOT NULL AND chunk IS NOT NULL // as of one that an update deletes meanwhile
RETURN collect([run, chunk, edges]) AS runs
