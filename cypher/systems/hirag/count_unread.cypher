// How many documents have a chunk that no language model has read as it is now.
// Parameters: $by STRING (the reader's fingerprint)
// Rows: documents INTEGER; one
MATCH (c:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
WHERE NOT EXISTS { (c)<-[:READ_IN]-(r:{{corpus}}_HiragReading) WHERE r.touched = c.touched AND r.by = $by }
RETURN count(DISTINCT d) AS documents
