// Document: its facts, with their sentences
// Parameters: $document STRING (title, id or source of a document)
// Rows: passage INTEGER, subject, predicate, object, sentence STRING, by STRING (who found the fact); in reading order
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(c:{{corpus}}_Chunk)<-[s:STATED_IN]-(f:Fact:{{corpus}})
RETURN c.seq AS passage, f.subject AS subject, f.predicate AS predicate, f.object AS object, s.quote AS sentence,
  s.by AS by
ORDER BY passage, by, s.position LIMIT 200
