// Takes back what chunks were about, and marks both ends for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.entity})-[a:ABOUT]->(c:Overstory {id: row.chunk})
SET c:$($corpus + '_Changed'), e:$($corpus + '_Changed')
DELETE a
