// The summaries of the entities of layer 0 that are nearest to a new one, where a generation is too small for an index.
// Parameters: $generation INTEGER; $depth INTEGER (entities that are looked at); $vector LIST<FLOAT>
// Rows: as those of `nearest_clusters_index`
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
WHERE e.layer = 0
WITH e, vector.similarity.cosine(e.embedding, $vector) AS score ORDER BY score DESC, e.ref LIMIT $depth
MATCH (e)-[:SUMMARIZED_BY]->(s:Overstory:HiragEntity)
WITH s, e.cluster AS cluster, max(score) AS score ORDER BY score DESC, s.ref LIMIT 5
RETURN s.ref AS summary, cluster, COLLECT {
  MATCH (m:Overstory:HiragEntity)-[:SUMMARIZED_BY]->(s) WHERE m.cluster = cluster RETURN m.embedding
} AS vectors
ORDER BY score DESC, summary
