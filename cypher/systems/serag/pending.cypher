// How many documents have a chunk that is not in SeRAG's tree as it is now.
// Parameters: none
// Rows: documents INTEGER; one
MATCH (c:{{corpus}}_Chunk) WHERE NOT c:{{corpus}}_SeragRead
MATCH (c)-[:PART_OF]->(d:Document)
RETURN count(DISTINCT d) AS documents
