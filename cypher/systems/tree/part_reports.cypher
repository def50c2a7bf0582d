// Takes their reports off communities, which may be gone already, and the titles that they had of these.
// Parameters: $rows LIST<MAP {community STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.community}) WHERE t:TreeNode AND t.corpus = $corpus
CALL (t) {
  WITH t WHERE t.named
  REMOVE t.title, t.summary, t.named
}
MATCH (t)-[has:HAS_REPORT]->(:Overstory:CommunityReport)
DELETE has
