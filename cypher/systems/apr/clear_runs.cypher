// Deletes the runs of some chunks, and marks their edges for `remove_loose_edges`.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(r:Overstory:AprRun)
OPTIONAL MATCH (r)-[:HAS_EDGE]->(e:Overstory:AprEdge)
WITH collect(DISTINCT r) AS runs, collect(DISTINCT e) AS edges
FOREACH (e IN edges | SET e:$($corpus + '_AprLoose'))
FOREACH (r IN runs | DETACH DELETE r)
