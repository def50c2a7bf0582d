// The most specific names in some chunks.
// Parameters: $ids LIST<STRING> (chunks); $names INTEGER (how many of a chunk)
// Rows: id STRING; names LIST<LIST> (a name, its IDF weight, 0 to 1); the greatest first
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
RETURN id, COLLECT {
  MATCH (c)-[m:MENTIONS]->(e:Entity:{{corpus}}) WHERE m.by IN ['ner', 'openie']
  WITH DISTINCT e ORDER BY e.df, e.name LIMIT $names
  RETURN [e.name, coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0)]
} AS names
