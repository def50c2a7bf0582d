// The entities that some summaries summarise.
// Parameters: $ids LIST<STRING> (of summaries)
// Rows: id, summary STRING (of a summary: id, ref); members LIST<LIST> (id, cluster and vector of each)
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:HiragEntity AND s.corpus = $corpus
RETURN id, s.ref AS summary, COLLECT {
  MATCH (m:Overstory:HiragEntity)-[:SUMMARIZED_BY]->(s) RETURN [m.id, m.cluster, m.embedding]
} AS members
