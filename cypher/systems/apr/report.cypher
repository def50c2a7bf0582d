// What AutoPrunedRetriever's index of a corpus holds.
// Parameters: none
// Rows: entities, relations, edges, runs, facts, merged INTEGER; one
CALL () { MATCH (s:{{corpus}}_AprEntity) RETURN count(s) AS entities }
CALL () { MATCH (s:{{corpus}}_AprRelation) RETURN count(s) AS relations }
CALL () { MATCH (e:{{corpus}}_AprEdge) RETURN count(e) AS edges }
CALL () { MATCH (r:{{corpus}}_AprRun) RETURN count(r) AS runs, coalesce(sum(r.size), 0) AS facts }
CALL () { MATCH (s:{{corpus}}_AprAlias) RETURN count(s) AS merged }
RETURN entities, relations, edges, runs, facts, merged
