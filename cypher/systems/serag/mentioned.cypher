// How many entities some chunks mention, and how strong their stored edges are.
// Parameters: $ids LIST<STRING>; $most INTEGER (how many of a chunk are stored, or more); $weights LIST<STRING>
//   (properties of edges)
// Rows: id STRING; entities INTEGER; edges LIST<MAP {number INTEGER; weight FLOAT (of all), weakest FLOAT (of the
//   strongest, null where there are none)}> (by each of the properties)
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
  RETURN count(DISTINCT e) AS entities
}
RETURN id, entities, COLLECT {
  UNWIND $weights AS name
  CALL (c, name) {
    MATCH (c)-[l:LINKED]-(:Overstory:Chunk)
    WITH l[name] AS weight WHERE weight IS NOT NULL
    WITH weight ORDER BY weight DESC
    WITH collect(weight) AS stored
    RETURN {number: size(stored), weight: reduce(sum = 0.0, weight IN stored | sum + weight),
      weakest: stored[..$most][-1]} AS edges
  }
  RETURN edges
} AS edges
