// Some chunks as SeRAG reads them, in order of id. Names that only the dictionary found make no edges.
// Parameters: $ids LIST<STRING>; $property STRING (where vectors are)
// Rows: id, document STRING; seq INTEGER; vector LIST<FLOAT>; entities LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
RETURN c.id AS id, d.id AS document, c.seq AS seq, v[$property] AS vector,
  COLLECT { MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie'] RETURN DISTINCT e.id } AS entities
ORDER BY id
