// Which chunks there are, and which of them are in SeRAG's tree as they are now.
// Parameters: $property STRING (where vectors are)
// Rows: id STRING; known BOOLEAN
MATCH (c:{{corpus}}_Chunk)-[:HAS_VECTOR]->(v:{{corpus}}_PassageVector) WHERE v[$property] IS NOT NULL
RETURN c.id AS id, c.touched <= $read_to AS known
