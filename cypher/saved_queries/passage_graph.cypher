// Document: the facts of its first passage, and their names
// Parameters: $document STRING (title, id or source of a document)
// Rows: stated, argument PATH (argument is null for a fact without names); a picture of at most 15 facts
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(c:{{corpus}}_Chunk)
WITH c ORDER BY c.seq LIMIT 1
MATCH stated = (c)<-[s:STATED_IN]-(f:Fact:{{corpus}})
WITH f, stated ORDER BY s.position LIMIT 15
OPTIONAL MATCH argument = (f)-[:SUBJECT|OBJECT]->(:Entity:{{corpus}})
RETURN stated, argument
