// -- systems/slimrag/saved_queries/entity
// Name: the sentences that SlimRAG ties to it, drawn
// Parameters: $name STRING (as texts write it; upper and lower case are one)
// Rows: path PATH (from the entity to a passage); at most 50. Needs overstory index --system slimrag
MATCH (e:{{corpus}}_SlimEntity) WHERE toLower($name) IN [toLower(e.name), e.key]
MATCH path = (e)<-[:REFERS_TO]-(s:{{corpus}}_SlimSentence)-[:PART_OF]->(c:{{corpus}}_Chunk)
RETURN path ORDER BY c.title, c.seq, s.seq LIMIT 50
