// The most specific names in some chunks.
// Parameters: $ids LIST<STRING> (chunks); $names INTEGER (how many of a chunk)
// Rows: id STRING; names LIST<LIST> (a name, its IDF weight, 0 to 1); the greatest first
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
RETURN id, COLLECT {
  MATCH (c)-[m:MENTIONS]->(e:Entity:{{corpus}}) WHERE m.by IN ['ner', 'openie']
  WITH DISTINCT e ORDER BY coalesce(e.specificity, 0.0) DESC, e.name LIMIT $names
  RETURN [e.name, coalesce(e.specificity, 0.0)]
} AS names
