// A page of chunks as SeRAG reads them, in order of id. Names that only the dictionary found make no edges.
// Parameters: $after STRING (id of the last chunk before); $property STRING (where vectors are); $limit INTEGER
// Rows: id, document STRING; seq INTEGER; vector LIST<FLOAT>; entities LIST<STRING> (ids)
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
  AND EXISTS { (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector) WHERE v[$property] IS NOT NULL }
WITH c ORDER BY c.corpus, c.id LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
RETURN c.id AS id, d.id AS document, c.seq AS seq, v[$property] AS vector,
  COLLECT { MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie'] RETURN DISTINCT e.id } AS entities
ORDER BY id
