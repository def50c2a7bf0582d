// Some summaries, or the root above all of them.
// Parameters: $ids LIST<STRING>; $generation INTEGER
// Rows: id STRING; level, size INTEGER (entities of layer 0 below it); below INTEGER (right below it); leaves INTEGER (those
//   of them of layer 0); above LIST<STRING> (the summaries above it, by id, the nearest first); title, summary STRING (null where it was deleted with a passage);
//   volume, cut, vector, entropy, entropy_below null
CALL () {
  MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
  USING INDEX SEEK e:HiragEntity(corpus, generation)
  RETURN max(e.layer) AS top, count(CASE WHEN e.layer = 0 AND EXISTS { (e)-[:SUMMARIZED_BY]->(:Overstory:HiragEntity) } THEN 1 END) AS whole,
    count(CASE WHEN e.layer > 0 AND NOT EXISTS { (e)-[:SUMMARIZED_BY]->(:Overstory:HiragEntity) } THEN 1 END) AS highest
}
UNWIND $ids AS id
OPTIONAL MATCH (x:Overstory {id: id}) WHERE x:HiragEntity AND x.corpus = $corpus
OPTIONAL MATCH (x)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
CALL (x) {
  OPTIONAL MATCH way = (x)((y:Overstory:HiragEntity)<-[s:SUMMARIZED_BY]-(m:Overstory:HiragEntity) WHERE NOT EXISTS {
    MATCH (m)-[o:SUMMARIZED_BY]->(p:Overstory:HiragEntity) WHERE o.weight > s.weight OR (o.weight = s.weight AND p.ref < y.ref)
  }){1,8}(leaf)
  RETURN count(CASE WHEN leaf.layer = 0 THEN 1 END) AS entities, count(CASE WHEN length(way) = 1 THEN 1 END) AS members,
    count(CASE WHEN length(way) = 1 AND leaf.layer = 0 THEN 1 END) AS leaves
}
CALL (x) {
  OPTIONAL MATCH way = (x)((m:Overstory:HiragEntity)-[s:SUMMARIZED_BY]->(y:Overstory:HiragEntity) WHERE NOT EXISTS {
    MATCH (m)-[o:SUMMARIZED_BY]->(p:Overstory:HiragEntity) WHERE o.weight > s.weight OR (o.weight = s.weight AND p.ref < y.ref)
  }){1,8}(up)
  WITH up ORDER BY length(way)
  RETURN collect(up.id) AS above
}
RETURN id, CASE WHEN x IS NULL THEN 0 ELSE top + 1 - x.layer END AS level,
  CASE WHEN x IS NULL THEN whole ELSE entities END AS size, CASE WHEN x IS NULL THEN highest ELSE members END AS below,
  leaves, above,
  x.name + CASE WHEN coalesce(x.type, '') IN ['', 'other'] THEN '' ELSE ' (' + x.type + ')' END AS title,
  d.text AS summary, null AS volume, null AS cut, null AS vector, null AS entropy, null AS entropy_below
