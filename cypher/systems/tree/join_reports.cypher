// Ties communities to their reports, whose titles and summaries they have, too, and takes off the mark of those that lost
// theirs.
// Parameters: $rows LIST<MAP {community, report STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.community}), (r:Overstory {id: row.report}) WHERE t:{{corpus}}_TreeNode
MERGE (t)-[:HAS_REPORT]->(r)
SET t.title = r.title, t.summary = r.summary
REMOVE t:{{corpus}}_Unreported
