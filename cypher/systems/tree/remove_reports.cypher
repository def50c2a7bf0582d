// Deletes reports.
// Parameters: $rows LIST<MAP {id STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (r:Overstory {id: row.id}) WHERE r:{{corpus}}_CommunityReport
DETACH DELETE r
