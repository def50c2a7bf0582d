// The summaries of the entities of layer 0 that are nearest to a new one, by the index over those of a generation.
// Parameters: $vector_index STRING; $depth INTEGER (asked of it); $vector LIST<FLOAT>
// Rows: summary STRING (ref); cluster STRING; vectors LIST<LIST<FLOAT>> (of its members); nearest first, none twice
// Since: Neo4j 2026.04 (SEARCH)
CALL db.index.vector.queryNodes($vector_index, $depth, $vector) YIELD node AS e, score
// since: MATCH (e) SEARCH e IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $depth) SCORE AS score
MATCH (e)-[:SUMMARIZED_BY]->(s:Overstory:HiragEntity) WHERE e.layer = 0
WITH s, e.cluster AS cluster, max(score) AS score ORDER BY score DESC, s.ref LIMIT 5
RETURN s.ref AS summary, cluster, COLLECT {
  MATCH (m:Overstory:HiragEntity)-[:SUMMARIZED_BY]->(s) WHERE m.cluster = cluster RETURN m.embedding
} AS vectors
ORDER BY score DESC, summary
