// Which chunk of a document follows which.
// Parameters: none
// Rows: document STRING; first, second INTEGER (places in the document)
MATCH (a:{{corpus}}_Chunk)-[:NEXT]->(b:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
RETURN d.source + ' ' + d.source_key AS document, a.seq AS first, b.seq AS second
