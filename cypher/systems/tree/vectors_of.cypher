// The vectors of some communities.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; vector BYTES
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:{{corpus}}_TreeNode AND t.vector IS NOT NULL
RETURN id, t.vector AS vector
