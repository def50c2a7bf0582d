// The largest communities right below some; none below a bottom one, which has only leaves there.
// Parameters: $ids LIST<STRING>; $skip, $limit INTEGER (of each)
// Rows: id STRING; communities LIST<STRING> (ids, the largest first)
UNWIND $ids AS id
MATCH (above:Overstory {id: id}) WHERE above:TreeNode AND above.corpus = $corpus
RETURN id,
  COLLECT {
    MATCH (t:Overstory:TreeNode)-[:CHILD_OF]->(above) WHERE t.vector IS NOT NULL
    RETURN t.id ORDER BY t.size DESC, t.id SKIP $skip LIMIT $limit
  } AS communities
