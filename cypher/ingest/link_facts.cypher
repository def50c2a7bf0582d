// Words facts with the names of their entities, and writes RELATED between the two entities of a fact.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (f:Overstory {id: id, corpus: $corpus})
OPTIONAL MATCH (f)-[:SUBJECT]->(s:Overstory:Entity)
OPTIONAL MATCH (f)-[:OBJECT]->(o:Overstory:Entity)
CALL (f) {
  MATCH (f)-[statement:STATED_IN]->(:Overstory)
  RETURN count(statement) AS weight, min(statement.quote) AS description
}
SET f.subject = coalesce(s.name, f.subject), f.object = coalesce(o.name, f.object)
SET f.text = f.subject + ' ' + f.predicate + ' ' + f.object
REMOVE f:$($corpus + '_Stale')
WITH f, s, o, weight, description WHERE s IS NOT NULL AND o IS NOT NULL AND s <> o
MERGE (s)-[r:RELATED {predicate: f.predicate}]->(o)
SET r.weight = weight, r.description = description
