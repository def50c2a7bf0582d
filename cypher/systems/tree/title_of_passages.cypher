// Calls those nodes that are communities of passages, but for the root, after the names that tell them from the rest, which
// are weighed as in systems/tree/about_chunk.
// Parameters: $rows LIST<MAP {id STRING}>; $most INTEGER (passages of a community that are looked at, those of the greatest
//   volume); $names INTEGER (of a title)
// Rows: none
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}) WHERE t:TreeNode AND t.corpus = $corpus AND t.vector IS NOT NULL AND t.level > 0
CALL (t) {
  MATCH (t)<-[:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(c:Overstory:Chunk)
  WITH c, leaf ORDER BY leaf.volume DESC, c.id LIMIT $most
  RETURN collect(c) AS read
}
WITH t, COLLECT {
  UNWIND read AS c
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
  WITH e, count(DISTINCT c) AS times
  WITH e, times,
    times * coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0) AS weight
  WITH e, times, weight, weight * log(1.0 * times * chunks / (size(read) * coalesce(e.df, times))) AS tells
  ORDER BY tells DESC, weight DESC, e.name LIMIT $names
  RETURN e.name
} AS names
SET t.named = true, t.title = CASE WHEN size(names) > 0 THEN reduce(title = names[0], name IN names[1..] | title + ', ' + name) END
