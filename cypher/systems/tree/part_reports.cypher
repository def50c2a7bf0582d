// Takes their reports off communities, which may be gone already.
// Parameters: $rows LIST<MAP {community STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.community}) WHERE t:{{corpus}}_TreeNode
REMOVE t.title, t.summary
WITH t
MATCH (t)-[has:HAS_REPORT]->(:{{corpus}}_CommunityReport)
DELETE has
