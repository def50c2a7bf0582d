// The documents that the reports on some communities stand on; of each only the first that are met.
// Parameters: $ids LIST<STRING> (communities); $most INTEGER (documents of each)
// Rows: id STRING; documents LIST<STRING> (ids; none where there is no report)
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus
RETURN id, COLLECT {
  MATCH (t)-[:HAS_REPORT]->(:Overstory:CommunityReport)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  RETURN DISTINCT d.id LIMIT $most
} AS documents
