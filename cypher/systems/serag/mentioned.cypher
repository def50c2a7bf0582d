// How many entities some chunks mention, and how strong an edge has to be to be among the strongest of each.
// Parameters: $ids LIST<STRING>; $most INTEGER (how many are the strongest); $weights LIST<STRING> (properties of edges)
// Rows: id STRING; entities INTEGER; weakest LIST<FLOAT> (the last of the strongest by each of the properties, null where
//   there are fewer)
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(e:Entity:{{corpus}}) WHERE m.by IN ['ner', 'openie']
  RETURN count(DISTINCT e) AS entities
}
RETURN id, entities, COLLECT {
  UNWIND $weights AS name
  CALL (c, name) {
    MATCH (c)-[l:LINKED]-(:{{corpus}}_Chunk)
    WITH l[name] AS weight WHERE weight IS NOT NULL
    WITH weight ORDER BY weight DESC LIMIT $most
    RETURN collect(weight) AS strongest
  }
  RETURN CASE WHEN size(strongest) = $most THEN strongest[-1] END
} AS weakest
