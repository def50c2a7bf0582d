// -- systems/slimrag/saved_queries/entity
// Entity: its sentences in SlimRAG
// Parameters: $name STRING (as texts write it, in any case)
// Rows: path PATH (from the entity to a passage); up to 50. Needs overstory index --system slimrag
MATCH (e:{{corpus}}_SlimEntity) WHERE toLower($name) IN [toLower(e.name), e.key]
MATCH path = (e)<-[:REFERS_TO]-(s:{{corpus}}_SlimSentence)-[:PART_OF]->(c:{{corpus}}_Chunk)
RETURN path ORDER BY c.title, c.seq, s.seq LIMIT 50
