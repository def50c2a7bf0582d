// Tree of T-Retriever: the largest sets of each level
// Parameters: none
// Rows: level, size INTEGER (from 1, the coarsest; vertices); title, summary STRING (null where they went with a passage);
//   inside FLOAT (the share of the weight of its edges that stays inside); id STRING; at most 15 of a level, the largest
//   first. Needs overstory index --system tretriever
MATCH (corpus:Corpus:{{corpus}})
UNWIND range(1, 8) AS level
CALL (corpus, level) {
  MATCH (t:{{corpus}}_TretrieverNode)
  WHERE t.generation = corpus.generation_tretriever AND t.level = level AND t.vector IS NOT NULL
  RETURN t ORDER BY t.size DESC, t.id LIMIT 15
}
OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:{{corpus}}_TretrieverSummary)
RETURN level, t.size AS size, r.title AS title, r.summary AS summary,
  CASE WHEN t.volume > 0 THEN round(1 - t.cut / t.volume, 4) END AS inside, t.id AS id
ORDER BY level, size DESC, id
