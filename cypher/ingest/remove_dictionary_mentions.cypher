// Takes back mentions that the dictionary found, and marks their entities for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory {id: row.entity})
SET e:$($corpus + '_Changed'), e.said_in = e.said_in - 1
DELETE m
