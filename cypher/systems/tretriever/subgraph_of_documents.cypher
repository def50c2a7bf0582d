// What some documents say that is near to a vector, and the links between them.
// Parameters: $asked MAP {ids LIST<STRING>} (in a map, since the server plans a statement again for each order of magnitude
//   of a list); $vector LIST<FLOAT>; $property STRING (where
//   the vectors of chunks are); $passages INTEGER (of a document, the first, that are looked at); $most INTEGER (of these,
//   how many to return); $tried INTEGER (links from a document that are looked at); $edges INTEGER (how many to return)
// Rows: vertices LIST<LIST> (of each: id; whether it has more passages or links than were looked at; LIST<LIST> of
//   passages, the nearest first: id, cosine or null where it has no vector); edges LIST<LIST> (ids of both documents, type,
//   text, weight, LIST of the passages that state it, which is empty; the strongest first); one
CALL () {
  UNWIND $asked.ids AS id
  MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
  RETURN collect(d) AS documents
}
RETURN COLLECT {
  UNWIND documents AS d
  CALL (d) {
    MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
    WITH c ORDER BY c.seq LIMIT $passages
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, 2 * vector.similarity.cosine(v[$property], $vector) - 1 AS cosine
    ORDER BY coalesce(cosine, -1.0) DESC, c.seq LIMIT $most
    RETURN collect([c.id, cosine]) AS passages
  }
  RETURN [d.id, coalesce(d.chunks, 0) > $passages OR coalesce(d.links, 0) > $tried, passages]
} AS vertices, COLLECT {
  UNWIND documents AS d
  CALL (d) {
    MATCH (d)-[l:LINKS]->(other:Overstory:Document)
    RETURN l, other LIMIT $tried
  }
  WITH d, l, other WHERE other IN documents AND other <> d
  WITH d, l, other ORDER BY l.weight DESC, d.id, other.id, l.type, l.text LIMIT $edges
  RETURN [d.id, other.id, l.type, l.text, l.weight, []]
} AS edges
