// The relations in some runs.
// Parameters: $ids LIST<STRING> (of runs)
// Rows: relations LIST<LIST> (id of a run, LIST<STRING> of the ids of its relations); one
UNWIND $ids AS id
MATCH (r:Overstory {id: id}) WHERE r:AprRun AND r.corpus = $corpus
WITH r, COLLECT { MATCH (r)-[:HAS_EDGE]->(:Overstory:AprEdge)-[:RELATION]->(s:Overstory:AprSymbol) RETURN DISTINCT s.id } AS ids
RETURN collect([r.id, ids]) AS relations
