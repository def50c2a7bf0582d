// Which passages say something of some entities, and the edges between these.
// Parameters: $asked MAP {ids LIST<STRING>} (in a map, since the server plans a statement again for each order of magnitude
//   of a list); $generation INTEGER; $vector LIST<FLOAT>; $property STRING (where the vectors of chunks are); $passages
//   INTEGER (of each kind, of an entity, that are looked at); $most INTEGER (how many to return of an entity, and of an
//   edge); $tried INTEGER (edges of an entity that are looked at); $edges INTEGER (how many to return)
// Rows: vertices LIST<LIST> (of each: id; whether it has more edges than were looked at; LIST<LIST> of passages: id, cosine
//   or null where it has no vector; those first that are about it, then those that state facts on it, then others that
//   mention it, the nearest of a kind first); edges LIST<LIST> (ids of both entities, type "", text "", weight, LIST<LIST>
//   of the passages that state it, the most important first: id, cosine or null; the strongest first); one
CALL () {
  UNWIND $asked.ids AS id
  MATCH (e:Overstory {id: id, corpus: $corpus})<-[:COVERS]-(leaf:Overstory:TretrieverNode)
  WHERE e:Entity AND leaf.generation = $generation
  RETURN collect(leaf) AS leaves, collect([e, leaf]) AS pairs
}
RETURN COLLECT {
  UNWIND pairs AS pair
  WITH pair[0] AS e, pair[1] AS leaf
  CALL (e) {
    CALL (e) {
      MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk) WHERE a.full AND a.common IS NULL
      RETURN c, 0 AS kind LIMIT $passages
      UNION ALL
      MATCH (e)<-[:SUBJECT]-(:Overstory:Fact)-[:STATED_IN]->(c:Overstory:Chunk)
      RETURN c, 1 AS kind LIMIT $passages
      UNION ALL
      MATCH (e)<-[:MENTIONS]-(c:Overstory:Chunk)
      RETURN c, 2 AS kind LIMIT $passages
    }
    WITH c, min(kind) AS kind
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, kind, 2 * vector.similarity.cosine(v[$property], $vector) - 1 AS cosine
    ORDER BY kind, coalesce(cosine, -1.0) DESC, c.id LIMIT $most
    RETURN collect([c.id, cosine]) AS passages
  }
  RETURN [e.id, COUNT { (leaf)-[:TRETRIEVER_EDGE]->() } > $tried, passages]
} AS vertices, COLLECT {
  UNWIND leaves AS leaf
  CALL (leaf) {
    MATCH (leaf)-[edge:TRETRIEVER_EDGE]->(other:Overstory:TretrieverNode)
    RETURN edge, other LIMIT $tried
  }
  WITH leaf, edge, other WHERE other IN leaves
  MATCH (leaf)-[:COVERS]->(source:Overstory:Entity)
  MATCH (other)-[:COVERS]->(target:Overstory:Entity)
  WITH edge, source, target ORDER BY edge.weight DESC, source.id, target.id LIMIT $edges
  RETURN [source.id, target.id, '', '', edge.weight, COLLECT {
    UNWIND edge.chunks[..$most] AS id
    MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    RETURN [c.id, 2 * vector.similarity.cosine(v[$property], $vector) - 1]
  }]
} AS edges
