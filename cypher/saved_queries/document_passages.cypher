// Document: its passages in reading order
// Parameters: $document STRING (title, id or source of a document)
// Rows: part, following PATH (following is null for the last passage); a picture of at most 50 passages
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH part = (d)<-[:PART_OF]-(c:{{corpus}}_Chunk)
WITH c, part ORDER BY c.seq LIMIT 50
OPTIONAL MATCH following = (c)-[:NEXT]->(:{{corpus}}_Chunk)
RETURN part, following
