// Writes mentions that the dictionary found, and marks their entities for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING; surfaces LIST<STRING>; sentences LIST<INTEGER>}> both are empty where
//   the chunk is about the name but its text does not say it
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}), (e:Overstory {id: row.entity})
MERGE (c)-[m:MENTIONS {by: 'dictionary'}]->(e)
ON CREATE SET e.said_in = coalesce(e.said_in, 0) + 1
SET m.count = size(row.surfaces), m.surfaces = row.surfaces, m.sentences = row.sentences, e:{{corpus}}_Changed
