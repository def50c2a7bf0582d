// Short paths between pairs of entities, of the shortest ones that of the strongest relations, and all relations among the
// entities that they go through. A path leads through no entity that is everywhere, nor through a summary of which nothing
// says why its members belong together.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities); known LIST<LIST<STRING>> (ids of the entities of
//   paths that are known already)} (in a map, since the server plans a statement again for each order of magnitude of a
//   list); $hubs LIST<STRING> (ids of entities that no path leads through); $through BOOLEAN (whether one may lead through
//   summaries); $vector LIST<FLOAT>; $most INTEGER (passages of a relation or a description)
// Rows: paths LIST<LIST> (of each pair that is joined: its place in the list; ids of the entities from the first to the
//   second); entities LIST<LIST> (of each entity on a path: id, name, layer, cosine to the vector, description or null,
//   ids of the passages it stands on); relations LIST<LIST> (of each: ids of both ends, type, weight, description or "",
//   ids of the passages that state it; the description is null where its passage is gone); one
CALL () {
  UNWIND range(0, size($asked.pairs) - 1) AS place
  MATCH (a:Overstory {id: $asked.pairs[place][0]}) WHERE a:HiragEntity AND a.corpus = $corpus
  MATCH (b:Overstory {id: $asked.pairs[place][1]}) WHERE b:HiragEntity AND b.corpus = $corpus
  CALL (a, b) {
    MATCH way = SHORTEST 10 (a)(()-[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]-
      (n:Overstory:HiragEntity WHERE n = b OR ((n.layer = 0 OR $through) AND NOT n.id IN $hubs))){1,4}(b)
    WITH nodes(way) AS met, reduce(cost = 0.0, step IN r | cost + step.cost) AS cost
    RETURN met ORDER BY cost, [n IN met | n.id] LIMIT 1
  }
  RETURN collect([place, met]) AS found
}
CALL () {
  UNWIND $asked.known AS ids
  UNWIND ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:HiragEntity AND e.corpus = $corpus
  RETURN collect(DISTINCT e) AS known
}
CALL (found, known) {
  UNWIND reduce(all = known, one IN found | all + one[1]) AS e
  RETURN collect(DISTINCT e) AS met
}
RETURN [one IN found | [one[0], [e IN one[1] | e.id]]] AS paths, COLLECT {
  UNWIND met AS e
  OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
  RETURN [e.id, e.name, e.layer, 2 * vector.similarity.cosine(e.embedding, $vector) - 1, d.text,
    COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS entities, COLLECT {
  UNWIND met AS e
  MATCH (e)-[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]->(other:Overstory:HiragEntity) WHERE other IN met
  WITH e, r, other, COLLECT {
    UNWIND coalesce(r.chunks, [])[..$most] AS id
    MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
    RETURN c.id
  } AS chunks
  RETURN [e.id, other.id, type(r), r.weight,
    CASE WHEN r.chunks IS NOT NULL AND NOT coalesce(r.chunks[0] IN chunks, false) THEN null ELSE coalesce(r.description, '') END,
    chunks]
} AS relations
