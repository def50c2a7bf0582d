// Ties communities to their reports, and takes off the mark of those that lost theirs.
// Parameters: $rows LIST<MAP {community, report STRING}>; $named BOOLEAN (whether they have the titles and summaries of these)
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.community})
MATCH (r:Overstory {id: row.report, corpus: $corpus}) WHERE t:TreeNode AND t.corpus = $corpus
MERGE (t)-[:HAS_REPORT]->(r)
REMOVE t:$($corpus + '_Unreported')
WITH t, r WHERE $named
SET t.title = r.title, t.summary = r.summary, t.named = true
