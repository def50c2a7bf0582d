// Takes their reports off communities.
// Parameters: $rows LIST<MAP {community STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.community})-[has:HAS_REPORT]->(:{{corpus}}_CommunityReport)
DELETE has
