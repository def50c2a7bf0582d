// Some documents as vertices, with the links at each.
// Parameters: $ids LIST<STRING>; $property STRING (where vectors are); $most INTEGER (passages of a document whose vectors
//   are returned, the first ones)
// Rows: as those of `documents`, and linked LIST<LIST> (id of a document with a link to this one, weight, type, text)
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  OPTIONAL MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
  WITH c ORDER BY c.seq LIMIT $most
  OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  RETURN collect(v[$property]) AS vectors, [c IN collect(c) WHERE c.boilerplate IS NOT NULL | c.boilerplate] AS boilerplate
}
RETURN d.id AS id, d.sha256 AS sha256, coalesce(d.chunks, 0) AS chunks, boilerplate, vectors,
  COLLECT { MATCH (d)-[l:LINKS]->(t:Overstory:Document) RETURN [t.id, l.weight, l.type, l.text] } AS links,
  COLLECT { MATCH (d)<-[l:LINKS]-(t:Overstory:Document) RETURN [t.id, l.weight, l.type, l.text] } AS linked
ORDER BY id
