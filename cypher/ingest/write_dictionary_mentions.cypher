// Writes mentions that the dictionary found, which must not be there yet, and marks their entities for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING; surfaces LIST<STRING>; sentences LIST<INTEGER>}> both are empty where
//   the chunk is about the name but its text does not say it
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
MATCH (e:Overstory {id: row.entity})
CREATE (c)-[:MENTIONS {by: 'dictionary', count: size(row.surfaces), surfaces: row.surfaces, sentences: row.sentences}]->(e)
SET e.said_in = coalesce(e.said_in, 0) + 1, e:$($corpus + '_Changed')
