// Document: its links to others, and those of others to it
// Parameters: $document STRING (title, id or source of a document)
// Rows: link PATH; a picture of at most 100 links, those to documents that are missing among them
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH link = (d)-[l:LINKS]-(other:{{corpus}}_Document|{{corpus}}_MissingDocument)
RETURN link ORDER BY l.type, other.title LIMIT 100
