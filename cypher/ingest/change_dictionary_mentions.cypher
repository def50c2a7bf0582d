// Writes where texts now say names that the dictionary found there before, and marks the entities for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING; surfaces LIST<STRING>; sentences LIST<INTEGER>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory {id: row.entity})
SET m.count = size(row.surfaces), m.surfaces = row.surfaces, m.sentences = row.sentences, e:$($corpus + '_Changed')
