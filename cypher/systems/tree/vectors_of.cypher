// The vectors of some communities.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; vector BYTES
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus AND t.vector IS NOT NULL
RETURN id, t.vector AS vector
