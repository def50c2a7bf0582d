// A page of documents as vertices, in order of id, with the links that start at each.
// Parameters: $after STRING (id of the last document before); $limit INTEGER; $property STRING (where vectors are); $most
//   INTEGER (passages of a document whose vectors are returned, the first ones)
// Rows: id, sha256 STRING; chunks INTEGER; boilerplate LIST<LIST<INTEGER>> (of its first passages, null where one has
//   none); vectors LIST<LIST<FLOAT>>; links LIST<LIST> (id of another document that is stored, weight, type, text)
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > $after AND d.sha256 IS NOT NULL
WITH d ORDER BY d.corpus, d.id LIMIT $limit
CALL (d) {
  OPTIONAL MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
  WITH c ORDER BY c.seq LIMIT $most
  OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  RETURN collect(v[$property]) AS vectors, [c IN collect(c) WHERE c.boilerplate IS NOT NULL | c.boilerplate] AS boilerplate
}
RETURN d.id AS id, d.sha256 AS sha256, coalesce(d.chunks, 0) AS chunks, boilerplate, vectors,
  COLLECT { MATCH (d)-[l:LINKS]->(t:Overstory:Document) RETURN [t.id, l.weight, l.type, l.text] } AS links
ORDER BY id
